import AppStore
import Foundation
import Testing

/// A small app's customers, and what its webhooks and its app stated about them. Each is a case that support is asked about.
package enum SupportStory {
  /// An app account token of one of the customers.
  package static let token = "0b4c7e1a-91d0-4e62-8c61-3b1a2f9d7e10"

  /// Returns the program in a folder of its own, with the story in `subledger.sqlite`.
  package static func program() throws -> Program { try Program(copying: reported.get()) }

  /// The folder that every test has a copy of.
  private static let reported = Result { try report().folder }

  private static func report() throws -> Program {
    let program = try Program()
    let authority = try TestAuthority.shared.get()
    let chain = try TestAuthority.sharedChain.get()
    try Data(authority.rootDER).write(to: URL(fileURLWithPath: program.folder.file("root.der")))
    let price = [("price", "9990"), ("currency", "\"EUR\""), ("type", "\"Auto-Renewable Subscription\"")]
    func wrap(_ at: Double, _ payload: String) -> String { "{\"receivedAt\":\"\(day(at))\",\"payload\":\(payload)}" }
    func reported(
      _ type: String, _ at: Double, _ transaction: TransactionFixture, _ renewal: RenewalFixture? = nil,
      environment: String = "Production"
    ) throws -> String {
      var transaction = transaction
      transaction.extra += price
      let text = try PayloadFixture.signedV2(
        type, at: day(at), transaction: transaction, renewal: renewal, environment: environment, chain: chain)
      return wrap(at, text)
    }
    let renewing = RenewalFixture(status: true)
    func renewal(_ originalID: String, _ change: (inout RenewalFixture) -> Void = { _ in }) -> RenewalFixture {
      var words = renewing
      words.originalID = originalID
      change(&words)
      return words
    }
    let originalIDs = [
      // She paid, and her payment failed at the renewal.
      try reported("SUBSCRIBED", 0, TransactionFixture("1001", originalID: "1001", day(0), day(30)), renewal("1001")),
      try reported(
        "DID_FAIL_TO_RENEW", 30.1, TransactionFixture("1001", originalID: "1001", day(0), day(30)),
        renewal("1001") { ($0.retry, $0.grace) = (true, day(46)) }),
      // She paid in the Sandbox only.
      try reported(
        "SUBSCRIBED", 1, TransactionFixture("2001", originalID: "2001", day(1), day(31)), renewal("2001"),
        environment: "Sandbox"),
      // Two users of the app on one Apple account.
      try reported(
        "SUBSCRIBED", 2,
        TransactionFixture("3001", originalID: "3001", day(2), day(32), extra: [("appAccountToken", "\"\(token)\"")]),
        renewal("3001")),
      // He turned renewal off.
      try reported("SUBSCRIBED", 3, TransactionFixture("4001", originalID: "4001", day(3), day(33)), renewal("4001")),
      try reported(
        "DID_CHANGE_RENEWAL_STATUS", 5, TransactionFixture("4001", originalID: "4001", day(3), day(33)),
        renewal("4001") { $0.status = false }),
      // A refund of an earlier period, recorded late.
      try reported("SUBSCRIBED", 4, TransactionFixture("5001", originalID: "5001", day(4), day(34)), renewal("5001")),
      try reported("CONSUMPTION_REQUEST", 10, TransactionFixture("5001", originalID: "5001", day(4), day(34))),
      try reported(
        "REFUND", 12,
        TransactionFixture(
          "5001", originalID: "5001", day(4), day(34), revoked: day(11), extra: [("revocationReason", "1")])),
      // An upgrade at once, and a downgrade chosen for the renewal.
      try reported("SUBSCRIBED", 6, TransactionFixture("6001", originalID: "6001", day(6), day(36)), renewal("6001")),
      try reported(
        "DID_CHANGE_RENEWAL_PREF", 10,
        TransactionFixture("6002", originalID: "6001", product: "yearly", day(10), day(375)),
        renewal("6001") { $0.product = "yearly" }),
      try reported(
        "DID_CHANGE_RENEWAL_PREF", 12,
        TransactionFixture("6002", originalID: "6001", product: "yearly", day(10), day(375)),
        renewal("6001") { ($0.product, $0.next) = ("yearly", "monthly") }),
      // A refund that is asked for, and not decided.
      try reported("SUBSCRIBED", 7, TransactionFixture("7001", originalID: "7001", day(7), day(37)), renewal("7001")),
      try reported("CONSUMPTION_REQUEST", 15, TransactionFixture("7001", originalID: "7001", day(7), day(37))),
      // Paid on the device, and never in the evidence.
      wrap(20, PayloadFixture.event("purchasing", at: day(20), customer: "ida")),
      wrap(20, PayloadFixture.event("purchased", at: day(20.01), id: "8001", customer: "ida")),
      // What Apple tried to send, on a page of its own history of notifications.
      wrap(
        40,
        """
        {"notificationHistory":[{"signedPayload":"\(try chain.sign(PayloadFixture.v2("DID_RENEW", at: day(31), environment: "Production")
          .replacing("\"data\":{", with: "\"data\":{\"signedTransactionInfo\":\"\(try chain.sign(TransactionFixture("9001", originalID: "9001", day(30), day(60)).signed(day(31), environment: "Production")))\",")))",
        "sendAttempts":[{"attemptDate":\(day(31).milliseconds),"sendAttemptResult":"TIMED_OUT"},{"attemptDate":\
        \(day(31.1).milliseconds),"sendAttemptResult":"SUCCESS"}]}],"hasMore":false}
        """),
    ]
    try program.folder.write(
      originalIDs.map { $0.replacing("\n", with: "") }.joined(separator: "\n"), to: "archive.ndjson")
    let done = try program.run(["import", "archive.ndjson", "--trust", "root.der"])
    #expect(done.code == 0, "\(done.output)\(done.complaints)")
    _ = try program.run(["products", "entitle", "pro", "--product", "monthly", "yearly", "--bundle-id", "b"])
    for (customer, id) in [
      ("ada", "1001"), ("bea", "2001"), ("cleo", "3001"), ("hal", "4001"), ("eve", "5001"), ("fay", "6001"),
    ] {
      _ = try program.run(["customers", "link", customer, id, "--author", "anna", "--reason", "asked"])
    }
    return program
  }
}
