import Charts
import Foundation
import Testing

/// Writes the samples where SUBLEDGER_CHARTS says, for a browser or an eye.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["SUBLEDGER_CHARTS"] != nil))
struct SampleFolder {
  @Test func `every sample is written as a file`() throws {
    let folder = ProcessInfo.processInfo.environment["SUBLEDGER_CHARTS"] ?? ""
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, chart) in Samples.all {
      try write(chart.svg(), to: folder + "/\(name).svg")
      try write(chart.svg(width: 340), to: folder + "/\(name)-narrow.svg")
    }
    try write(Samples.page.html(), to: folder + "/page.html")
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }
}
