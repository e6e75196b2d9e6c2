import Testing

@testable import Charts

struct ScaleTests {
  static func texts(_ least: Double, _ most: Double, _ unit: Chart.Unit, steps: Int = 5) -> [String] {
    Scale(from: least, to: most, unit: unit, steps: steps).ticks.map(\.text)
  }

  @Test func `ticks are round, hold all values and hold zero`() {
    #expect(Self.texts(120, 4_870, .count("lines")) == ["0", "1,000", "2,000", "3,000", "4,000", "5,000"])
    #expect(Self.texts(0, 1_700, .days) == ["0", "500", "1,000", "1,500", "2,000"])
    #expect(Self.texts(-320, 618, .count("lines")) == ["−400", "−200", "0", "200", "400", "600", "800"])
    #expect(Self.texts(-90, -10, .money(currency: "EUR")) == ["−100", "−80", "−60", "−40", "−20", "0"])
    #expect(Self.texts(0, 1.99, .money(currency: "EUR")) == ["0.0", "0.5", "1.0", "1.5", "2.0"])
  }

  @Test func `shares are percents`() {
    #expect(Self.texts(0.021, 0.066, .percent) == ["0%", "2%", "4%", "6%", "8%"])
    #expect(Self.texts(0, 0.3, .percent, steps: 3) == ["0%", "10%", "20%", "30%"])
    #expect(Self.texts(0, 0.0021, .percent) == ["0.00%", "0.05%", "0.10%", "0.15%", "0.20%", "0.25%"])
  }

  @Test func `nothing is counted by halves`() {
    #expect(Self.texts(0, 2, .count("refunds"), steps: 6) == ["0", "1", "2"])
    #expect(Self.texts(0, 1, .count("refunds"), steps: 6) == ["0", "1"])
  }

  @Test func `zeros alone have an axis all the same`() {
    #expect(Self.texts(0, 0, .count("refunds")) == ["0", "1"])
    #expect(Self.texts(0, 0, .percent) == ["0%", "100%"])
    #expect(Self.texts(0, 1e-300, .days) == ["0", "1"])
  }

  @Test func `large amounts are written in millions, billions and trillions`() {
    let scale = Scale(from: -2e11, to: 1.7e12, unit: .money(currency: "VND"), steps: 5)
    #expect(scale.ticks.map(\.text) == ["−500", "0", "500", "1,000", "1,500", "2,000"])
    #expect(scale.magnitude == "billions")
    #expect(Scale(from: 0, to: 9_999_999, unit: .days, steps: 5).magnitude == nil)
    #expect(Scale(from: 0, to: 1.5e7, unit: .days, steps: 5).ticks.map(\.text) == ["0", "5", "10", "15"])
    #expect(Scale(from: 0, to: 9e15, unit: .days, steps: 5).magnitude == "trillions")
  }

  @Test(arguments: [1e-8, 0.37, 1, 7, 99, 1_234.5, 8e6, 3e11, 1e15], [0, -0.2, -1, -40])
  func `steps are one, two or five times a power of ten`(most: Double, ratio: Double) throws {
    let scale = Scale(from: most * ratio, to: most, unit: .number("months"), steps: 5)
    let values = scale.ticks.map(\.value)
    #expect(scale.lower <= min(0, most * ratio) && scale.upper >= most && values.contains(0))
    #expect((2...8).contains(values.count))
    #expect((values.first, values.last) == (scale.lower, scale.upper))
    let step = values[1] - values[0]
    let factor = (-9...18).map { step / powerOfTen($0) }.first { $0 < 9.9 } ?? 0
    #expect([1.0, 2, 5].contains { abs($0 - factor) < 1e-6 }, "\(step)")
    #expect(Set(scale.ticks.map(\.text)).count == values.count)
  }

  @Test func `a value is as high as its share of the axis`() {
    let scale = Scale(from: -400, to: 800, unit: .count("lines"), steps: 6)
    #expect((scale.lower, scale.upper) == (-400, 800))
    #expect(scale.y(800, top: 20, bottom: 320) == 20)
    #expect(scale.y(-400, top: 20, bottom: 320) == 320)
    #expect(scale.y(0, top: 20, bottom: 320) == 220)
    #expect(scale.y(100, top: 20, bottom: 320) == 195)
  }

  @Test func `values are written without a locale`() {
    #expect(Chart.Unit.count("lines").text(1_234_567) == "1,234,567")
    #expect(Chart.Unit.count("lines").text(0.25) == "0.3")
    #expect(Chart.Unit.percent.text(0.125) == "12.5%")
    #expect(Chart.Unit.percent.text(0.99999) == "100%")
    #expect(Chart.Unit.percent.text(-0.05) == "−5%")
    #expect(Chart.Unit.money(currency: "EUR").text(-1_234.5) == "−1,234.50 EUR")
    #expect(Chart.Unit.money(currency: "JPY", decimals: 0).text(1_234.5) == "1,235 JPY")
    #expect(Chart.Unit.money(currency: "KWD", decimals: 3).text(0.0049) == "0.005 KWD")
    #expect(Chart.Unit.money(currency: "EUR").text(-0.001) == "0.00 EUR")
    #expect(Chart.Unit.days.text(1) == "1 day")
    #expect(Chart.Unit.days.text(13.54) == "13.5 days")
    #expect(Chart.Unit.number("months").text(2.345) == "2.35" || Chart.Unit.number("months").text(2.345) == "2.34")
    #expect(Chart.Unit.money(currency: "VND", decimals: 0).text(1e12) == "1,000,000,000,000 VND")
    #expect(Chart.Unit.money(currency: "EUR").text(8e15) == "8,000,000,000,000,000 EUR")
    #expect(grouped(1e300) == "1e+300")
    #expect((grouped(999), grouped(1_000), grouped(999_999.5)) == ("999", "1,000", "1,000,000"))
  }

  @Test func `pixels have no more than two decimals and no exponent`() {
    #expect(
      [0, 1, 1.5, 1.25, 1.005, 0.05, -0.5, -0.001, 1e-9, 1_000].map(pixels) == [
        "0", "1", "1.5", "1.25", "1", "0.05", "-0.5", "0", "0", "1000",
      ])
  }
}
