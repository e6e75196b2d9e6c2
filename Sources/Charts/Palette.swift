/// The colours for light and dark screens. Readers with each usual colour blindness can distinguish the colours of the
/// series. ChartsTests measure that, and the contrast of all colours with the background.
enum Palette {
  struct Colour {
    let name: String
    let light: String
    let dark: String
  }

  /// The index of the colour for summed series, after the colours of the other series.
  static let other = series.count - 1
  static let heatLevels = heat.count

  static let surface = Colour(name: "surface", light: "#ffffff", dark: "#14171c")
  static let text = Colour(name: "text", light: "#1c2026", dark: "#e8eaed")
  static let quiet = Colour(name: "quiet", light: "#5a6270", dark: "#a3abb7")
  static let grid = Colour(name: "grid", light: "#e4e7eb", dark: "#2b3038")
  static let zero = Colour(name: "zero", light: "#6b7280", dark: "#8b95a3")

  static let series = [
    ("#276ed2", "#6a9fee"), ("#d9700f", "#f49752"), ("#119682", "#48cbb1"), ("#a3186a", "#df5ba1"),
    ("#6f5c00", "#f4d660"), ("#4b2a9a", "#7f68dc"), ("#2b98c9", "#b4e0f7"), ("#7d1d12", "#b5523f"),
    ("#6b7280", "#8b95a3"),
  ].enumerated().map { Colour(name: "series-\($0)", light: $1.0, dark: $1.1) }

  /// The shades from none to all. Each shade is light enough for dark text, or dark enough for light text.
  static let heat = [
    ("#eef4fb", "#1b2835"), ("#d1e2f3", "#21374e"), ("#b4cfec", "#254769"), ("#97bde5", "#2a5885"),
    ("#76a9de", "#3169a0"), ("#5290cf", "#4587c8"), ("#2b76bb", "#579adc"), ("#1263a6", "#70adea"),
    ("#01508d", "#91c3f6"), ("#003e71", "#b7d8fb"),
  ].enumerated().map { Colour(name: "heat-\($0)", light: $1.0, dark: $1.1) }

  /// The colours of text on the shades of ``heat``.
  static let onHeat = heat.indices.map { level in
    Colour(
      name: "on-\(level)", light: level < 6 ? text.light : surface.light, dark: level < 5 ? text.dark : surface.dark)
  }

  static let all = [surface, text, quiet, grid, zero] + series + heat + onHeat

  /// Returns the shade of a share from 0 to 1. A share beyond this range gets the shade of the nearer end.
  static func heatLevel(_ share: Double) -> Int {
    Int(min(max(share, 0), 1) * Double(heatLevels) * (1 - 1e-12))
  }

  /// The colours as custom properties of CSS. On paper they are always the light ones.
  static let style = """
    .subledger{color-scheme:light dark;\(all.map { "--\($0.name):\($0.light);" }.joined())}
    @media screen and (prefers-color-scheme:dark){.subledger{\(all.map { "--\($0.name):\($0.dark);" }.joined())}}

    """
}
