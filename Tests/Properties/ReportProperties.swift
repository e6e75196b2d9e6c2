import AppStore

extension FuzzTargets {
  func checkReport(_ bytes: [UInt8]) throws {
    func read(_ bytes: [UInt8]) -> Result<AppleReport, AppleReportError> {
      do throws(AppleReportError) {
        return .success(try AppleReportReader().read(bytes, name: "S_S_D_80000001_20260301.txt"))
      } catch {
        return .failure(error)
      }
    }
    let first = read(bytes)
    try hold(first == read(bytes), "a report read twice says the same", "\(first)")
    if !Gzip.isGzip(bytes) {
      try hold(first == read(Gzip.compress(bytes)), "a report says the same when it is compressed", "\(first)")
    }
    switch first {
    case .failure(let error):
      try hold(!error.detail.isEmpty && !error.advice.isEmpty, "a refused report says why", "\(error)")
      try hold(error.line ?? 1 >= 1, "lines are numbered from 1", "\(error)")
    case .success(let report): try checkFigures(report)
    }
  }

  private func checkFigures(_ report: AppleReport) throws {
    try hold(report.firstDay <= report.lastDay, "a period does not end before it begins", "\(report)")
    let keys = report.dimensions.map(\.key)
    try hold(Set(keys).count == keys.count, "no dimensions stand twice")
    for figure in report.figures {
      try hold(report.dimensions.indices.contains(figure.dimensions), "a figure has dimensions", "\(figure)")
      try hold(figure.rows >= 1, "a figure is the sum of rows", "\(figure)")
    }
    guard report.type != .subscription else { return }
    let rows = report.figures.reduce(0) { $0 + $1.rows }
    try hold(rows == report.rowCount, "every row is in one figure", "\(rows) of \(report.rowCount)")
  }
}
