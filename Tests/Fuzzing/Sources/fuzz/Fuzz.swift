import AppStore
import Foundation
import Properties

// SUBLEDGER_FUZZ_TARGET names the target of the bytes. Without it, all targets get them. Each target has its own
// corpus, of files as they occur in practice. A byte that selects the target would be worse, because a mutation could
// change it. Each target also gets its share of the time. Otherwise the fuzzer would spend most of it where most code
// is.

/// The settings from the environment, read once.
private struct Setting: Sendable {
  let targets: [FuzzTarget]
  let checks: FuzzTargets

  init() {
    let environment = ProcessInfo.processInfo.environment
    targets =
      environment["SUBLEDGER_FUZZ_TARGET"].map { name in
        guard let target = FuzzTarget(rawValue: name) else {
          preconditionFailure(
            "SUBLEDGER_FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
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

/// Checks one input. libFuzzer calls this function with every input.
/// - Returns: 0, which libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let isDone = DispatchSemaphore(value: 0)
  // The library's functions never suspend. So the task begins and ends on this thread, where libFuzzer notices its
  // failure.
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
