import GRDB
import Ledger
import TestSupport
import Testing

/// A name that a view gives to a state, a rule or an event is a case in Swift, and every case is a name of a view.
@Suite struct NameTests {
  /// The names that one view gives in one column.
  struct Names: CustomTestStringConvertible {
    var column: String
    var views: [String]
    /// The raw values of the cases.
    var cases: [String]
    var testDescription: String { "\(column) of \(views.joined(separator: ", "))" }

    init<Name: RawRepresentable<String> & CaseIterable>(_ column: String, of views: String..., cases: Name.Type) {
      (self.column, self.views, self.cases) = (column, views, Name.allCases.map(\.rawValue))
    }
  }

  static let names = [
    Names("rule", of: "rules/rule_decision", "public/one_time_purchase", "public/customer_grant", cases: Rule.self),
    Names("state", of: "intermediate/int_entitlement_instant", cases: Entitlement.State.self),
    Names("expiration_reason", of: "intermediate/int_entitlement_instant", cases: Entitlement.ExpirationReason.self),
    Names(
      "state", of: "intermediate/int_entitlement_instant", "public/one_time_purchase", "public/customer_grant",
      cases: CustomerAccess.State.self),
    Names("outcome", of: "public/refund_request", cases: RefundRequest.Outcome.self),
    Names("closed_by", of: "public/purchase_attempt", cases: PurchaseAttempt.End.self),
    Names("finding", of: "public/purchase_attempt", cases: PurchaseAttempt.Finding.self),
    Names("state", of: "intermediate/int_client_attempt", cases: PurchaseAttempt.State.self),
    Names("kind", of: "intermediate/int_client_attempt", cases: PurchaseAttempt.Kind.self),
  ]

  /// Returns the texts that a `CASE` gives, of which a column is named.
  static func names(of column: String, in sql: String) -> Set<String> {
    guard let end = sql.firstRange(of: "END AS \(column)") ?? sql.firstRange(of: "END\n    AS \(column)"),
      let start = sql[..<end.lowerBound].ranges(of: "CASE").last
    else { return [] }
    let expression = sql[start.lowerBound..<end.lowerBound]
    return Set(expression.matches(of: /(?:THEN|ELSE)\s+'([a-z_]+)'/).map { String($0.1) })
  }

  @Test(arguments: names) func `the names of a column are the cases`(names: Names) throws {
    let found = try names.views.reduce(into: Set<String>()) { all, view in
      all.formUnion(Self.names(of: names.column, in: try Checkout.contents("Migrations/views/\(view).sql")))
    }
    #expect(found == Set(names.cases))
  }

  @Test func `the events of the history are the cases`() throws {
    let sql = try Checkout.contents("Migrations/views/public/history_event.sql")
    let found = Set(sql.matches(of: /'([a-z_]+)'/).map { String($0.1) })
    #expect(found == Set(HistoryEvent.Kind.allCases.map(\.rawValue)))
  }

  @Test func `the kinds of id that lead to a purchase are the cases`() throws {
    let views = ["int_identifier", "int_known_identifier"]
    let found = try views.reduce(into: Set<String>()) { all, view in
      let sql = try Checkout.contents("Migrations/views/intermediate/\(view).sql")
      all.formUnion(sql.matches(of: /'([a-z_]+_(?:id|uuid|token))'/).map { String($0.1) })
    }
    #expect(found == Set(OriginalTransactionMatch.Kind.allCases.map(\.rawValue)))
  }

  @Test func `the reasons against a purchase are the cases`() throws {
    let sql = try Checkout.contents("Migrations/views/rules/rule_purchase_obstacle.sql")
    let states = PurchaseAttempt.State.allCases.map(\.rawValue)
    let found = Set(sql.matches(of: /'((?:paid|already)_[a-z_]+)'/).map { String($0.1) }).subtracting([
      "paid_never_verified"
    ])
    let open = PurchaseClearance.Obstacle.Reason.allCases.map(\.rawValue).filter(states.contains)
    #expect(found.union(open) == Set(PurchaseClearance.Obstacle.Reason.allCases.map(\.rawValue)))
    #expect(open == ["in_flight", "paid_unfinished", "waiting_for_approval"])
  }

  @Test func `a name that nobody knows is an error that names it`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      .init(PayloadFixture.event("purchasing", at: day(1), customer: "ann"))
    ])
    try ledger.link("ann", to: "t1", CustomerFixture.staffAction(1))
    try await DatabaseQueue(path: ledger.path).write {
      try $0.execute(
        sql: """
          PRAGMA ignore_check_constraints = 1;
          DROP TRIGGER customer_link_entry_refuses_update;
          UPDATE customer_link_entry SET action = 'wibble';
          """)
    }
    let error = #expect(throws: LedgerError.self) {
      try ledger.reader.record(of: "ann", QueryParameters(asOf: day(2), knownAt: day(2)))
    }
    #expect(error?.code == .unknownValue && error?.message.contains("'wibble'") == true)
    withExtendedLifetime(folder) {}
  }
}
