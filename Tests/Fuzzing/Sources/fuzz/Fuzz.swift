import AppStore
import Foundation
import Properties

// Which target the bytes come through is said by SUBLEDGER_FUZZ_TARGET; without it they come through all of them. A target has a
// corpus of its own: its inputs are files as they are found in the world, without a selecting byte that a mutation could
// turn into another target's, and each target gets its share of the time, which the fuzzer would else spend where most code is.

/// What the environment says, read once.
private struct Setting: Sendable {
  let targets: [FuzzTarget]
  let checks: FuzzTargets

  init() {
    let environment = ProcessInfo.processInfo.environment
    targets =
      environment["SUBLEDGER_FUZZ_TARGET"].map { name in
        guard let target = FuzzTarget(rawValue: name) else {
          preconditionFailure("SUBLEDGER_FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return [target]
      } ?? FuzzTarget.allCases
    func file(_ path: Substring) -> [UInt8] {
      guard let data = FileManager.default.contents(atPath: String(path)) else {
        preconditionFailure("\(path) cannot be read")
      }
      return Array(data)
    }
    let roots = (environment["SUBLEDGER_TRUST"] ?? "").split(separator: ":").map(file)
    let signed = environment["SUBLEDGER_SIGNED"].map { file($0[...]) } ?? []
    guard let checks = try? FuzzTargets(roots: roots, signed: signed) else {
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
    for target in setting.targets {
      do {
        try await setting.checks.check(target, bytes)
      } catch {
        preconditionFailure("\(target): \(error)")
      }
    }
    isDone.signal()
  }
  isDone.wait()
  return 0
}
