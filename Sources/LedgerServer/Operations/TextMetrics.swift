internal import CoreMetrics
internal import Synchronization

/// Keeps metrics, and writes them in the text format 0.0.4 of Prometheus.
///
/// Names have base units, and counts end in `_total`, after Prometheus' guide. No id of a person is ever a label.
final class TextMetrics: MetricsFactory {
  /// The upper bounds of the classes in which times are counted, in seconds.
  static let bounds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 3600]

  private enum Kind: String {
    case counter, gauge, histogram
  }

  private struct Family {
    var kind: Kind
    var series: [String: Series] = [:]
  }

  /// One series of numbers: a metric with the values of its labels.
  private final class Series: Sendable, CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
    TimerHandler
  {
    struct State {
      var value = 0.0
      var classes: [Int] = []
      var count = 0
    }

    let state = Mutex(State())

    func increment(by amount: Int64) { state.withLock { $0.value += Double(amount) } }
    func increment(by amount: Double) { state.withLock { $0.value += amount } }
    func decrement(by amount: Double) { state.withLock { $0.value -= amount } }
    func reset() { state.withLock { $0 = State() } }
    func set(_ value: Int64) { state.withLock { $0.value = Double(value) } }
    func set(_ value: Double) { state.withLock { $0.value = value } }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
      state.withLock { state in
        if state.classes.isEmpty { state.classes = Array(repeating: 0, count: TextMetrics.bounds.count) }
        if let bucketIndex = TextMetrics.bounds.firstIndex(where: { value <= $0 }) { state.classes[bucketIndex] += 1 }
        state.value += value
        state.count += 1
      }
    }
  }

  private let families = Mutex<[String: Family]>([:])

  private func series(_ label: String, _ kind: Kind, _ dimensions: [(String, String)]) -> Series {
    let labels = dimensions.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    return families.withLock { families in
      if let known = families[label]?.series[labels] { return known }
      let made = Series()
      families[label, default: Family(kind: kind)].series[labels] = made
      return made
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, .counter, dimensions)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, .gauge, dimensions)
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    series(label, aggregate ? .histogram : .gauge, dimensions)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, .histogram, dimensions)
  }

  func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
    series(label, .counter, dimensions)
  }

  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}

  /// All metrics as text.
  var text: String {
    families.withLock { families in
      families.sorted { $0.key < $1.key }.map { name, family in
        let lines = family.series.sorted { $0.key < $1.key }.flatMap { Self.lines(name, family.kind, $0.key, $0.value) }
        return "# TYPE \(name) \(family.kind.rawValue)\n" + lines.joined(separator: "\n") + "\n"
      }.joined()
    }
  }

  private static func lines(_ name: String, _ kind: Kind, _ labels: String, _ series: Series) -> [String] {
    let state = series.state.withLock { $0 }
    func line(_ suffix: String, _ extra: String, _ value: String) -> String {
      let all = [labels, extra].filter { !$0.isEmpty }.joined(separator: ",")
      return "\(name)\(suffix)\(all.isEmpty ? "" : "{\(all)}") \(value)"
    }
    guard kind == .histogram else { return [line("", "", number(state.value))] }
    var (sum, lines) = (0, [String]())
    for (bound, count) in zip(bounds, state.classes) {
      sum += count
      lines.append(line("_bucket", "le=\"\(number(bound))\"", "\(sum)"))
    }
    return lines + [
      line("_bucket", "le=\"+Inf\"", "\(state.count)"), line("_sum", "", number(state.value)),
      line("_count", "", "\(state.count)"),
    ]
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
