import Foundation

/// The operating system's measurements of a whole process.
struct Child {
  /// The time from start to end, in seconds.
  var seconds: Double
  /// The peak memory of the process, in bytes.
  var peakBytes: Int
  /// The text that it wrote to standard output.
  var output: String

  /// Runs a program to its end, and returns its measurements.
  /// - Parameters:
  ///   - command: the program's path and its arguments.
  ///   - producer: another program, whose output is the input of this one.
  ///   - file: the file for standard output; with it, ``output`` is empty.
  static func run(_ command: [String], fedBy producer: [String]? = nil, to file: String? = nil) throws -> Child {
    let output = file ?? NSTemporaryDirectory() + "subledger-benchmark-\(UUID().uuidString)"
    defer { if file == nil { unlink(output) } }
    let clock = ContinuousClock()
    let start = clock.now
    var input: Int32 = -1
    var feeder: pid_t?
    if let producer {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw BenchmarkError("no pipe can be opened") }
      _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
      _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
      feeder = try spawn(producer, input: -1, output: ends[1])
      close(ends[1])
      input = ends[0]
    }
    let sink = open(output, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
    let child = try spawn(command, input: input, output: sink)
    close(sink)
    if input >= 0 { close(input) }
    let (status, peak) = wait(for: child)
    let seconds = clock.now - start
    if let feeder, wait(for: feeder).status != 0 { throw BenchmarkError("\(producer?.first ?? "") failed") }
    let text = file == nil ? (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" : ""
    guard status == 0 else { throw BenchmarkError("\(command.joined(separator: " ")) failed: \(text)") }
    return Child(seconds: seconds / .seconds(1), peakBytes: peak, output: text)
  }

  private static func spawn(_ command: [String], input: Int32, output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if input >= 0 { posix_spawn_file_actions_adddup2(&actions, input, 0) }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let code = posix_spawnp(&child, command[0], &actions, nil, &arguments, environ)
    guard code == 0 else { throw BenchmarkError("\(command[0]): \(String(cString: strerror(code)))") }
    return child
  }

  private static func wait(for child: pid_t) -> (status: Int32, peakBytes: Int) {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) < 0, errno == EINTR {}
    #if os(Linux)
      let unit = 1024
    #else
      let unit = 1
    #endif
    return (status, Int(usage.ru_maxrss) * unit)
  }
}

extension Duration {
  /// Returns the ratio of two durations.
  static func / (left: Duration, right: Duration) -> Double {
    let (a, b) = (left.components, right.components)
    return (Double(a.seconds) + Double(a.attoseconds) * 1e-18) / (Double(b.seconds) + Double(b.attoseconds) * 1e-18)
  }
}

/// The reason why a run cannot continue.
struct BenchmarkError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// Returns the seconds that a closure takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  try body()
  return (clock.now - start) / .seconds(1)
}

extension [Double] {
  /// The middle value, or the mean of the two middle values. It is not a number for an empty list.
  var median: Double {
    let sorted = sorted()
    if sorted.isEmpty { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
