/// Figures by period, or of cohorts by step, for a drawing. A chart contains only values. The drawing keeps their
/// order, and states where values are missing.
public struct Chart: Sendable, Equatable {
  /// The ways in which figures are drawn.
  public enum Kind: String, Sendable, CaseIterable {
    /// A line for each series.
    case line
    /// A bar for each series, side by side in each period. Values may be negative.
    case bar
    /// One bar for each period, stacked from the series. Positive values go up from zero, and negative ones down.
    case stacked
    /// A table of cohorts (series) by step (periods). It shows percentages, with darker cells where more remained.
    case retention
  }

  /// The unit of all values. A value beyond a quadrillion, or one that is not finite, counts as missing.
  public enum Unit: Sendable, Equatable {
    /// A count of whole things, named in the plural: "subscriptions".
    case count(String)
    /// A number that may have a fraction, named in the plural: "months".
    case number(String)
    /// A share, where 0.25 is 25 %.
    case percent
    /// An amount in whole units of a currency (1.99, not 199). The ISO 4217 code names the currency: "EUR".
    case money(currency: String, decimals: Int = 2)
    /// A number of days, which may have a fraction.
    case days
  }

  /// One position on the horizontal axis: a period, or a step of the cohorts.
  public struct Period: Sendable, Equatable {
    /// The label below the position: "2026-03", "2026-03-02", or for steps "0", "1", "2".
    public var label: String
    /// Whether all of the period has passed. The drawing marks other periods, because their figures can still change.
    public var isComplete: Bool

    /// Creates a period, which is complete by default.
    public init(_ label: String, isComplete: Bool = true) {
      self.label = label
      self.isComplete = isComplete
    }
  }

  /// A series with a name: one value for each period, in the chart's unit.
  public struct Series: Sendable, Equatable {
    /// The name in the legend; for retention, the cohort: "2026-03".
    public var name: String
    /// One value for each period, in the order of the periods. `nil` is a missing figure. It makes a gap, and never
    /// counts as zero.
    public var values: [Double?]
    /// The initial size of a cohort, only for retention. Counts are divided by it, or by the first value without it.
    public var size: Int?
    /// The indexes of incomplete values, besides those in incomplete periods. Each cohort of a retention has its own.
    public var incomplete: Set<Int>

    /// Creates a series. Its values are complete, except those at the `incomplete` indexes.
    public init(_ name: String, _ values: [Double?], size: Int? = nil, incomplete: Set<Int> = []) {
      self.name = name
      self.values = values
      self.size = size
      self.incomplete = incomplete
    }
  }

  /// The title in a few words: "Active subscriptions".
  public var title: String
  /// The definition of the figure, in one sentence.
  public var subtitle: String
  /// The way in which the figures are drawn.
  public var kind: Kind
  /// The unit of all values.
  public var unit: Unit
  /// The horizontal axis, earliest period first; for retention, the steps.
  public var periods: [Period]
  /// What the periods count, where their labels do not state it: "months after the first purchase".
  public var axis: String
  /// The series; for retention, the cohorts, earliest first. A drawing shows at most eight series, the largest ones. A
  /// stack adds the rest up as "Other", and the other kinds state how many series are missing.
  public var series: [Series]
  /// The limits of the figures, a sentence each.
  public var notes: [String]

  /// Creates a chart of these figures.
  public init(
    title: String, subtitle: String = "", kind: Kind, unit: Unit, periods: [Period], axis: String = "",
    series: [Series], notes: [String] = []
  ) {
    self.title = title
    self.subtitle = subtitle
    self.kind = kind
    self.unit = unit
    self.periods = periods
    self.axis = axis
    self.series = series
    self.notes = notes
  }

  /// Returns the chart as a standalone SVG document. It contains no scripts, and loads nothing. Its colours follow the
  /// reader's choice of light or dark. Equal charts give equal bytes.
  ///
  /// - Parameters:
  ///   - width: the width of the layout, 280 to 2000 pixels. The document scales to any width. Text is 11 to 18 pixels
  ///     high at this one.
  ///   - identifier: the prefix of the document's ids. Each document in one page needs a different prefix.
  public func svg(width: Int = 720, identifier: String = "chart") -> String {
    var drawing = Drawing(Figures(self), width: width, identifier: identifier, isPartOfPage: false)
    return drawing.finished()
  }
}
