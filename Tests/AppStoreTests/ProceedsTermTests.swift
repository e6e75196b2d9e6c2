import Testing

@testable import AppStore

/// Tables of taxes and commissions, as their owner writes them.
@Suite struct ProceedsTermTests {
  static func table(_ text: String) throws -> [String] {
    try ProceedsTerm.table(Array(text.utf8)).map { term in
      [term.kind.rawValue, term.storefront, term.bundleID, term.day.date, term.value, term.source]
        .map { $0 ?? "–" }.joined(separator: " ")
    }
  }

  @Test func `columns may come in any order, and empty ones mean all`() throws {
    let text = """
      term,storefront,app,from,value,source
      tax,DEU,,2021-01-01,19,"law, of 2020"
      tax,CHE,,2024-01-01,8.1%,
      commission,,com.example.a,2026-03-01,25 %,
      program,,,2021-01-01,yes,
      program,,,2023-01-01,no,

      reduced_commission,JPN,,2025-12-18,none,
      tax,USA,,2008-07-10,0,
      tax,LIE,,2024-01-01,0.5%,
      """
    #expect(
      try Self.table(text) == [
        "tax DEU – 2021-01-01 19 law, of 2020", "tax CHE – 2024-01-01 8.1 –",
        "commission – com.example.a 2026-03-01 25 –",
        "program – – 2021-01-01 yes –", "program – – 2023-01-01 no –", "reduced_commission JPN – 2025-12-18 none –",
        "tax USA – 2008-07-10 0 –", "tax LIE – 2024-01-01 0.5 –",
      ])
    #expect(try Self.table("value,from,term\n30,2020-01-01,commission") == ["commission – – 2020-01-01 30 –"])
  }

  @Test(arguments: [
    ("", 1, "the column term is missing; the first line must be term,from,value,storefront,app,source"),
    ("term;from;value\ntax;2020-01-01;19", 1, "semicolons separate the columns"),
    ("term,from,value,storefronts\n", 1, "the column storefronts is not known"),
    ("term,from,value\nvat,2020-01-01,19", 2, "the term is not one of tax, commission, reduced_commission, program"),
    ("term,from,value\ntax,2020-01-01,19\ntax,2020-02-30,19", 3, "the date is not valid; write it like 2026-03-01"),
    ("term,from,value\ntax,1.1.2020,19", 2, "the date is not valid"),
    ("term,from,value,storefront\ntax,2020-01-01,19,DE", 2, "a storefront is three capital letters"),
    ("term,from,value\ntax,2020-01-01,0.19", 2, "less than one percent; write 19 for 19 percent, or 0.5%"),
    ("term,from,value\ntax,2020-01-01,\"7,5\"", 2, "the value is not a percentage"),
    ("term,from,value\ntax,2020-01-01,101", 2, "the value is not a percentage"),
    ("term,from,value\ntax,2020-01-01,-1", 2, "the value is not a percentage"),
    ("term,from,value\nprogram,2020-01-01,15", 2, "the value of a program is yes, no or none"),
    ("term,from,value\ntax,2020-01-01", 2, "it has 2 columns, and not 3"),
    ("term,from,value\ntax,2020-01-01,19\n\ntax,2020-01-01,20", 4, "line 2 states the same term for the same day"),
  ])
  func `a wrong line is named, and what is wrong with it`(_ text: String, _ line: Int, _ words: String) {
    let error = #expect(throws: TableError.self) { try Self.table(text) }
    #expect(error?.line == line)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }
}
