/// The figures of a report while it is read: rows that differ in nothing that a figure states are one figure.
struct FigureSums {
  /// The greatest sum of one figure, in units or milliunits. Every sum of thousands of figures fits 64 bits then.
  static let limit: Int64 = 1_000_000_000_000_000

  /// The bytes of the current row's dimensions.
  var key: [UInt8] = []
  private(set) var dimensions: [AppleFigureDimensions] = []
  private(set) var figures: [AppleFigure] = []
  private var dimensionsOfKey: [[UInt8]: [AppleMeasure: Int]] = [:]
  private var figureOfIdentity: [Identity: Int] = [:]

  private struct Identity: Hashable {
    let dimensions: Int
    let day: Instant
    let purchaseDay: Instant?
    let counts: EventCounts
  }

  mutating func addToKey(_ field: ArraySlice<UInt8>) {
    key.append(contentsOf: field)
    key.append(0x1F)
  }

  mutating func addToKey(_ amount: Milliunits?) {
    if let amount { withUnsafeBytes(of: amount.rawValue.bigEndian) { key.append(contentsOf: $0) } }
    key.append(0x1F)
  }

  /// Returns the index of the dimensions of the current row; `nil` if no row before had them.
  func index(of measure: AppleMeasure) -> Int? { dimensionsOfKey[key]?[measure] }

  /// Returns the bytes of the current row's dimensions with a measure.
  func key(of measure: AppleMeasure) -> [UInt8] { Array(measure.rawValue.utf8) + [0x1F] + key }

  /// Adds the dimensions of the current row.
  /// - Returns: their index.
  mutating func insert(_ new: AppleFigureDimensions) -> Int {
    dimensionsOfKey[key, default: [:]][new.measure] = dimensions.count
    dimensions.append(new)
    return dimensions.count - 1
  }

  /// Adds a figure to the one with equal dimensions, days and counts.
  /// - Returns: `false` if the sum is greater than the limit.
  mutating func add(_ figure: AppleFigure) -> Bool {
    let identity = Identity(
      dimensions: figure.dimensions, day: figure.day, purchaseDay: figure.purchaseDay, counts: figure.counts)
    guard let index = figureOfIdentity[identity] else {
      figureOfIdentity[identity] = figures.count
      figures.append(figure)
      return true
    }
    figures[index].units += figure.units
    figures[index].customerAmount = sum(figures[index].customerAmount, figure.customerAmount)
    figures[index].proceedsAmount = sum(figures[index].proceedsAmount, figure.proceedsAmount)
    figures[index].rows += 1
    let sums = [figures[index].units, figures[index].customerAmount?.rawValue, figures[index].proceedsAmount?.rawValue]
    return sums.allSatisfy { ($0 ?? 0).magnitude <= Self.limit }
  }

  private func sum(_ one: Milliunits?, _ other: Milliunits?) -> Milliunits? {
    guard let one, let other else { return one ?? other }
    return Milliunits(one.rawValue + other.rawValue)
  }

  /// Gives all figures the day of their report.
  mutating func setDay(_ day: Instant) {
    for index in figures.indices { figures[index].day = day }
  }
}
