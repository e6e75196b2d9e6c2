/// Figures by period (or of cohorts, by step), as they will be drawn. A chart holds values only: it draws what it is
/// given, in the order it is given, and says where something is missing.
public struct Chart: Sendable, Equatable {
  /// How figures are drawn.
  public enum Kind: String, Sendable, CaseIterable {
    /// A line for each series.
    case line
    /// A bar for each series, side by side in each period; values may be negative.
    case bar
    /// One bar for each period, made of the series: positive values go up from zero and negative ones down.
    case stacked
    /// A table of cohorts (series) by step (periods): shares in percent, darker where more remained.
    case retention
  }

  /// What is measured. Values beyond a quadrillion, and those that are not finite, are no figures.
  public enum Unit: Sendable, Equatable {
    /// Whole things, named in the plural: "subscriptions".
    case count(String)
    /// A measure that may have a fraction, named in the plural: "months".
    case number(String)
    /// Shares: 0.25 is 25 %.
    case percent
    /// Amounts in whole units of a currency (1.99, not 199), named by its ISO 4217 code: "EUR".
    case money(currency: String)
    /// Days, which may have a fraction.
    case days
  }

  /// One place on the horizontal axis: a period, or a step of the cohorts' lives.
  public struct Period: Sendable, Equatable {
    /// What stands under it: "2026-03", "2026-03-02", or for steps "0", "1", "2".
    public var label: String
    /// Whether all of it has passed. What has not is marked, as its figures will still change.
    public var isComplete: Bool

    /// A period, by itself a complete one.
    public init(_ label: String, isComplete: Bool = true) {
      self.label = label
      self.isComplete = isComplete
    }
  }

  /// The figures of one name: a value for each period, in the chart's unit.
  public struct Series: Sendable, Equatable {
    /// What the legend calls it; for retention, the cohort: "2026-03".
    public var name: String
    /// One for each period, in the same order. `nil` is no figure: it makes a gap and never counts as zero.
    public var values: [Double?]
    /// How many a cohort began with, by which counts are divided; without it by the first value. Only for retention.
    public var size: Int?
    /// The places in `values` that are incomplete, beside those of incomplete periods: in a cohort each has its own.
    public var incomplete: Set<Int>

    /// A series whose values are all complete unless said otherwise.
    public init(_ name: String, _ values: [Double?], size: Int? = nil, incomplete: Set<Int> = []) {
      self.name = name
      self.values = values
      self.size = size
      self.incomplete = incomplete
    }
  }

  /// What is drawn, in a few words: "Active subscriptions".
  public var title: String
  /// The definition of the figure, in one sentence.
  public var subtitle: String
  /// How it is drawn.
  public var kind: Kind
  /// What all values are measured in.
  public var unit: Unit
  /// The horizontal axis, from the earliest; for retention the steps.
  public var periods: [Period]
  /// What the periods count, where their labels do not say it themselves: "months after the first purchase".
  public var axis: String
  /// What is drawn. Of more than eight the largest are: a stack sums the rest up as "Other", the other kinds say how many
  /// they leave out. For retention, the cohorts from the earliest.
  public var series: [Series]
  /// What the figures leave out, a sentence each.
  public var notes: [String]

  /// A chart of these figures.
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

  /// The chart as an SVG document of its own: no scripts, nothing from elsewhere, light and dark by the reader's choice,
  /// and the same bytes for the same chart.
  ///
  /// - Parameters:
  ///   - width: The width that it is overlaid out for, 280 to 2000 pixels. It scales to any; text is 11 to 18 pixels high at this
  ///     one.
  ///   - identifier: What its ids begin with; where several documents are put into one page, each needs another.
  public func svg(width: Int = 720, identifier: String = "chart") -> String {
    var drawing = Drawing(Figures(self), width: width, identifier: identifier, isPartOfPage: false)
    return drawing.finished()
  }
}
