import AppStore
import Foundation
import Properties

// Which door the bytes come through is said by SUBLEDGER_DOOR; without it they come through all of them. A door has a
// corpus of its own: its inputs are files as they are found in the world, without a selecting byte that a mutation could
// turn into another door's, and each door gets its share of the time, which the fuzzer would else spend where most code is.

/// What the environment says, read once.
private struct Setting: Sendable {
  let doors: [Door]
  let checks: Doors

  init() {
    let environment = ProcessInfo.processInfo.environment
    doors =
      environment["SUBLEDGER_DOOR"].map { name in
        guard let door = Door(rawValue: name) else {
          preconditionFailure("SUBLEDGER_DOOR is one of \(Door.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return [door]
      } ?? Door.allCases
    func file(_ path: Substring) -> [UInt8] {
      guard let data = FileManager.default.contents(atPath: String(path)) else {
        preconditionFailure("\(path) cannot be read")
      }
      return Array(data)
    }
    let roots = (environment["SUBLEDGER_TRUST"] ?? "").split(separator: ":").map(file)
    let signed = environment["SUBLEDGER_SIGNED"].map { file($0[...]) } ?? []
    guard let checks = try? Doors(roots: roots, signed: signed) else {
      preconditionFailure("SUBLEDGER_TRUST names a file that is no certificate")
    }
    self.checks = checks
  }
}

private let setting = Setting()

/// What libFuzzer calls with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let isDone = DispatchSemaphore(value: 0)
  // The library's functions wait for nothing: the task begins and ends on this thread, where libFuzzer sees it fail.
  Task.immediate {
    for door in setting.doors {
      do {
        try await setting.checks.check(door, bytes)
      } catch {
        preconditionFailure("\(door): \(error)")
      }
    }
    isDone.signal()
  }
  isDone.wait()
  return 0
}
