import Foundation
import TestSupport
import Testing

/// Reports of App Store Connect at the command line: what is imported, what is refused, and the exit codes.
@Suite(.takesTurns) struct ReportsCommandTests {
  static let header = "Event Date\tSubscription Apple ID\tCountry\tCustomer Price\tRefund\tSubscriber ID\tUnits\n"
  static let row = "2026-01-05\t7\tDE\t9.99\t\t1\t1\n"

  @Test func `a folder is imported, twice it adds nothing, and a bad file is named with its line`() throws {
    let program = try Program()
    let folder = program.folder.path + "/reports"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func write(_ name: String, _ text: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
    }
    try write("Subscriber_80012345_20260105.txt", Self.header + Self.row)
    try write("Subscriber_80012345_20260107.txt", Self.header + Self.row.replacing("-05", with: "-07"))
    let first = try program.run(["reports", "import", "reports", "--database", "l.sqlite"])
    #expect(first.code == 0)
    #expect(first.output == "2 files: 2 recorded, 0 duplicates, 0 refused; 2 rows.\n")
    try write("Subscriber_80012345_20260106.txt", Self.header + Self.row.replacing("9.99", with: "9,99"))
    let second = try program.run(["reports", "import", "reports", "--format", "json", "--database", "l.sqlite"])
    #expect(second.code == 65)
    #expect(second.output.contains(#""recorded": 0, "restated": 0, "duplicates": 2, "refused": 1"#))
    #expect(second.complaints.contains("20260106.txt:2, column Customer Price: not imported (unreadable_value)"))
    let list = try program.run(["reports", "list", "--format", "csv", "--database", "l.sqlite"])
    #expect(list.output.split(separator: "\n").last == "subscriber,80012345,2026-01-05,2026-01-07,2,1,0,2")
    try write("renamed.txt", Self.header)
    let unknown = try program.run(["reports", "import", "reports/renamed.txt", "--database", "l.sqlite"])
    #expect(unknown.code == 65 && unknown.complaints.contains("--date"))
    let dated = try program.run(
      ["reports", "import", "reports/renamed.txt", "--date", "2026-01-06", "--database", "l.sqlite"])
    #expect(dated.code == 0)
  }

  @Test func `the folder of a simulation stands for the reports in it`() throws {
    let program = try Program()
    _ = try program.run([
      "simulate", "--from", "2025-01-01", "--to", "2025-03-01", "--customers", "3", "--out", "world", "--reports",
    ])
    let imported = try program.run(["reports", "import", "world", "--format", "json", "--database", "l.sqlite"])
    #expect(imported.code == 0 && !imported.output.contains("\"recorded\": 0,"), "\(imported)")
  }

  @Test func `reconcile names what cannot be compared, and refuses what is not a key or a day`() throws {
    let program = try Program()
    _ = try program.run(["import", "-", "--database", "l.sqlite"], input: "")
    let nothing = try program.run(["reconcile", "--database", "l.sqlite"])
    #expect(nothing.code == 66 && nothing.complaints.contains("subledger reports import"))
    for arguments in [
      ["--explain", ""], ["--explain", "payments/yesterday"], ["--from", "5.1.2026"],
      ["--from", "2026-02-01", "--to", "2026-01-01"], ["--by", "device"], ["--report", "trials"],
    ] {
      #expect(try program.run(["reconcile", "--database", "l.sqlite"] + arguments).code == 64, "\(arguments)")
    }
    let folder = program.folder.path
    try Data((Self.header + Self.row).utf8).write(
      to: URL(fileURLWithPath: folder + "/Subscriber_80012345_20260105.txt"))
    _ = try program.run(["reports", "import", "Subscriber_80012345_20260105.txt", "--database", "l.sqlite"])
    let missing = try program.run(["reconcile", "--format", "csv", "--database", "l.sqlite"])
    #expect(missing.code == 0, "\(missing)")
    #expect(missing.output.split(separator: "\n").last == "payments,,1,0,0,0,1,0,0,0,0,0,0,0,0,0,0", "\(missing)")
    #expect(missing.complaints.contains("sales, returns, proceeds: no report sales is imported"))
  }

  @Test func `reports that disagree are found, with what to do next`() throws {
    let program = try Program()
    let folder = program.folder.path
    _ = try program.run(["import", "-", "--database", "l.sqlite"], input: "")
    let nothing = try program.run(["reports", "check", "--database", "l.sqlite"])
    #expect(nothing.code == 0 && nothing.complaints.contains("payments: no day has both reports"), "\(nothing)")
    let sales =
      "SKU\tApple Identifier\tProduct Type Identifier\tUnits\tDeveloper Proceeds\tBegin Date\tEnd Date\t"
      + "Customer Currency\tCountry Code\tCurrency of Proceeds\tCustomer Price\tSubscription\n"
      + "a\t7\tIAY\t2\t5.88\t01/05/2026\t01/05/2026\tEUR\tDE\tEUR\t9.99\tNew\n"
    let subscriber =
      "Event Date\tSubscription Apple ID\tCountry\tCustomer Price\tCustomer Currency\tRefund\tSubscriber ID\tUnits\n"
    let row = "2026-01-05\t7\tDE\t9.99\tEUR\t\t1\t1\n"
    func write(_ name: String, _ text: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
      let imported = try program.run(["reports", "import", name, "--database", "l.sqlite"])
      #expect(imported.code == 0, "\(imported)")
    }
    try write("S_D_80012345_20260105.txt", sales)
    try write("Subscriber_80012345_20260105.txt", subscriber + row)
    let check = ["reports", "check", "--format", "csv", "--database", "l.sqlite"]
    let wrong = try program.run(check)
    #expect(wrong.code == 1 && wrong.complaints.contains("reports check --differences"), "\(wrong)")
    #expect(wrong.output.split(separator: "\n")[1] == "payments,1,1,0,0,0,1")
    let listed = try program.run(check + ["--differences"])
    #expect(listed.code == 1 && listed.complaints.contains("first is Summary Sales"), "\(listed)")
    #expect(
      listed.output.split(separator: "\n").dropFirst() == ["payments,2026-01-05,80012345,a,7,DE,9.99,2,1,1"],
      "\(listed)")
    #expect(try program.run(check + ["--from", "2026-01-06"]).code == 0)
    try write("Subscriber_80012345_20260105.txt", subscriber + row + row)
    #expect(try program.run(check).code == 0)
    #expect(try program.run(check + ["--from", "2026-02-01", "--to", "2026-01-01"]).code == 64)
    let typo = try program.run(["reconcile", "--bundle-id", "com.example.typo", "--database", "l.sqlite"])
    #expect(typo.complaints.contains("nothing of the app com.example.typo"), "\(typo)")
  }

  @Test func `a page has a section for each agreement, and says in words what differs`() throws {
    let program = try Program()
    let folder = program.folder.path
    _ = try program.run(["import", "-", "--database", "l.sqlite"], input: "")
    try Data((Self.header + Self.row).utf8).write(
      to: URL(fileURLWithPath: folder + "/Subscriber_80012345_20260105.txt"))
    _ = try program.run(["reports", "import", "Subscriber_80012345_20260105.txt", "--database", "l.sqlite"])
    let page = try program.run(["reconcile", "--format", "html", "--database", "l.sqlite"])
    #expect(page.code == 0 && page.output.hasPrefix("<!DOCTYPE html>"), "\(page)")
    #expect(page.output.contains("<h2>Payments</h2>") && !page.output.contains("<h2>States</h2>"))
    #expect(
      page.output.contains("not mapped: the product number or the country leads to no product: import Summary Sales."))
    let written = try program.run(["reconcile", "--format", "html", "--out", "page.html", "--database", "l.sqlite"])
    #expect(written.code == 0 && written.output.contains("Written to page.html"))
    #expect(try String(contentsOfFile: folder + "/page.html", encoding: .utf8).contains("<h2>Payments</h2>"))
    for arguments in [["--format", "html", "--by", "day"], ["--format", "csv", "--out", "x"]] {
      #expect(try program.run(["reconcile", "--database", "l.sqlite"] + arguments).code == 64, "\(arguments)")
    }
  }
}
