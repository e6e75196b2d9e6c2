import Foundation
import Testing

@testable import Charts

struct PaletteTests {
  @Test func `series stand out from the ground, by light and by dark`() {
    for colour in Palette.series + [Palette.zero] {
      #expect(contrast(colour.light, Palette.surface.light) >= 3, "\(colour)")
      #expect(contrast(colour.dark, Palette.surface.dark) >= 3, "\(colour)")
    }
  }

  @Test func `texts are readable on the ground, and on every shade`() {
    for colour in [Palette.text, Palette.quiet] {
      #expect(contrast(colour.light, Palette.surface.light) >= 4.5, "\(colour)")
      #expect(contrast(colour.dark, Palette.surface.dark) >= 4.5, "\(colour)")
    }
    for (shade, text) in zip(Palette.heat, Palette.onHeat) {
      #expect(contrast(shade.light, text.light) >= 4.5, "\(shade)")
      #expect(contrast(shade.dark, text.dark) >= 4.5, "\(shade)")
    }
  }

  @Test(arguments: Blindness.allCases)
  func `no two series look alike, whatever the eye`(blindness: Blindness) {
    for colours in [Palette.series.dropLast().map(\.light), Palette.series.dropLast().map(\.dark)] {
      let seen = colours.map { perceived(blindness.seen(linear($0))) }
      for later in seen.indices {
        for earlier in 0..<later {
          #expect(distance(seen[earlier], seen[later]) >= blindness.least, "\(colours[earlier]) \(colours[later])")
        }
      }
    }
  }

  @Test func `shades go one way`() {
    let light = Palette.heat.map { luminance($0.light) }
    let dark = Palette.heat.map { luminance($0.dark) }
    #expect(light == light.sorted(by: >) && dark == dark.sorted())
  }

  @Test func `a share has the shade of its tenth`() {
    #expect([0, 0.05, 0.1, 0.55, 0.999, 1].map(Palette.heatLevel) == [0, 0, 0, 5, 9, 9])
    #expect([-3, 7, 1e15].map(Palette.heatLevel) == [0, 9, 9])
  }

  @Test func `the measure of contrast knows the extremes, and what does not do`() {
    #expect(abs(contrast("#000000", "#ffffff") - 21) < 0.01)
    #expect(contrast("#ffffff", "#ffffff") == 1)
    #expect(contrast("#f4d660", Palette.surface.light) < 3)
  }

  @Test func `the measure of likeness finds red like green`() {
    let (red, green) = (linear("#c8553d"), linear("#7d8b2d"))
    #expect(distance(perceived(red), perceived(green)) > 0.15)
    #expect(distance(perceived(Blindness.red.seen(red)), perceived(Blindness.red.seen(green))) < 0.15)
  }
}

/// The three lacks of a cone, as Machado, Oliveira and Fernandes (2009) model them.
enum Blindness: CaseIterable {
  case none, red, green, blue

  /// How far apart colours must be; with the rare lack of blue the seams and the legend's order have to help.
  var least: Double { self == .blue ? 0.04 : 0.07 }

  func seen(_ colour: [Double]) -> [Double] {
    rows.map { zip($0, colour).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  private var rows: [[Double]] {
    switch self {
    case .none: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    case .red: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    case .green: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    case .blue: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
    }
  }
}

private func linear(_ colour: String) -> [Double] {
  let number = Int(colour.dropFirst(), radix: 16) ?? 0
  return [16, 8, 0].map { shift in
    let part = Double(number >> shift & 255) / 255
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
  }
}

private func luminance(_ colour: String) -> Double {
  zip([0.2126, 0.7152, 0.0722], linear(colour)).reduce(0) { $0 + $1.0 * $1.1 }
}

/// As WCAG 2 defines it.
private func contrast(_ one: String, _ other: String) -> Double {
  let (high, low) = (max(luminance(one), luminance(other)), min(luminance(one), luminance(other)))
  return (high + 0.05) / (low + 0.05)
}

/// Oklab, in which distances are as eyes have them.
private func perceived(_ linear: [Double]) -> [Double] {
  let cones = [
    [0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ].map { cbrt(zip($0, linear).reduce(0) { $0 + $1.0 * max(0, $1.1) }) }
  return [
    [0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ].map { zip($0, cones).reduce(0) { $0 + $1.0 * $1.1 } }
}

private func distance(_ one: [Double], _ other: [Double]) -> Double {
  zip(one, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
}
