import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// How many faults are made, and from which seed: ``SampleSize`` (SUBLEDGER_TESTS and SUBLEDGER_TRIALS, which makes so many
/// times as many, up to all that there are) and SUBLEDGER_SEED.
enum Trials {
  static let length = SampleSize.factor

  static let seed = RandomChoice.seed

  /// Returns some of all places for a fault: of the large samples the first, the last, and others by chance; of the small
  /// ones any.
  static func sample(_ callNumbers: ClosedRange<Int>, _ small: Int, full: Int, _ random: inout SplitMix) -> [Int] {
    let count = SampleSize.pick(small, full: full * length)
    guard count < callNumbers.count else { return Array(callNumbers) }
    var chosen: Set = SampleSize.isFull ? [callNumbers.lowerBound, callNumbers.upperBound] : []
    while chosen.count < count { chosen.insert(Int.random(in: callNumbers, using: &random)) }
    return chosen.sorted()
  }

  /// Tells what was done, in one line that `Tests/TrialTests/run` gathers.
  static func report(_ fault: String, _ count: Int) {
    print("trial: \(fault): \(count) times (seed \(seed))")
  }
}

/// The library that makes faults in the program, compiled when it is first needed.
enum Faults {
  private static let folder = Result { try TemporaryFolder() }

  /// Its path; `nil` where there is no compiler for it.
  static let library: String? = {
    guard let folder = try? folder.get() else { return nil }
    let path = folder.file("faults.so")
    let source = Checkout.path + "/Tests/TrialTests/Support/faults.c"
    let done = try? Shell.run("clang -shared -fPIC -O1 -o '\(path)' '\(source)' -ldl", in: folder)
    return done?.code == 0 ? path : nil
  }()

  /// The environment in which a program meets a fault.
  static func environment(
    _ kind: String?, at callNumber: Int = 0, on file: String, count: String? = nil, trace: String? = nil
  )
    -> [String: String]
  {
    var variables = ["LD_PRELOAD": library ?? "", "FAULT_ON": file]
    variables["FAULT_KIND"] = kind
    variables["FAULT_AT"] = kind.map { _ in String(callNumber) }
    variables["FAULT_COUNT"] = count
    variables["FAULT_TRACE"] = trace
    return variables
  }
}

extension Faults {
  /// Runs a program in an environment that counts what it does to a file.
  /// - Returns: how many calls there were: a fault can be made at each.
  static func calls(on file: String, _ run: ([String: String]) throws -> Program.Result) throws -> Int {
    let count = try folder.get().file("calls-\(UUID().uuidString)")
    let result = try run(environment(nil, on: file, count: count))
    #expect(result.code == 0, "\(result)")
    return try #require(Int(String(contentsOfFile: count, encoding: .utf8).dropLast()))
  }
}

/// Runs lines of a shell, with limits that only a shell can set.
enum Shell {
  static func run(_ line: String, in folder: TemporaryFolder, environment: [String: String] = [:]) throws
    -> Program.Result
  {
    try Program(folder: folder).run(["-c", line], environment: environment, program: "/bin/bash")
  }
}

extension LedgerReader {
  /// All that an audit finds, but where Apple's own words differ from the rules.
  func faults() async throws -> [AuditFinding] { try await audit().filter { $0.code != .disagreement } }
}
