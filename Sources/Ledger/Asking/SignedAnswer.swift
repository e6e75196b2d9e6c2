public import AppStore
internal import Foundation
internal import GRDB

/// A subscription whose state rests on unsigned evidence, and would be another by signed evidence alone.
public struct UnsignedDecision: Sendable {
  /// What all evidence says.
  public var entitlement: Entitlement
  /// What signed evidence alone says.
  public var signed: Entitlement
}

extension Ledger {
  /// What signed evidence alone says of a subscription, where unsigned evidence decided against it.
  ///
  /// A receipt of a later date may undo a refund, or prolong a period. That may be right: a notification was lost. It
  /// may be a forgery. Where signed evidence only ends earlier, and confirms nothing after that (rules §6), it is not
  /// contradicted.
  /// - Parameters:
  ///   - entitlement: an answer of this ledger.
  ///   - line: the subscription that it is about.
  /// - Returns: `nil` where signed evidence says the same, or nothing.
  /// - Throws: ``LedgerError``.
  public func signedAnswer(against entitlement: Entitlement, of line: LineMatch) throws -> Entitlement? {
    guard entitlement.trust != "verified", entitlement.question.leastTrust == .any,
      try reading(settledLineQueue, [], { try $0.has(Self.hasSignedEvidence, [line.lineID]) })
    else { return nil }
    let signed = try self.entitlement(of: line, entitlement.question.ofSignedEvidence)
    return signed.flatMap { Self.differs($0, entitlement) ? $0 : nil }
  }

  private static func differs(_ signed: Entitlement, _ entitlement: Entitlement) -> Bool {
    guard signed.isConfirmed else { return false }
    return signed.state != entitlement.state || signed.accessEndsAt != entitlement.accessEndsAt
      || signed.productID != entitlement.productID
  }

  /// Whether anything said of the subscription `?1` is signed: of most that receipts tell of nothing is, and nothing more
  /// need be asked.
  private static let hasSignedEvidence = """
    SELECT 1 FROM main.transaction_version v JOIN main.payload p ON p.payload_id = v.payload_id
    WHERE v.line_id = ?1 AND (p.root_id IS NOT NULL OR p.trust = 'verified')
    """

  /// So many subscriptions are looked at together.
  private static let batchCount = 500

  /// Gives every subscription that unsigned evidence decides against signed evidence, by its environment and id.
  /// - Throws: ``LedgerError``, and whatever `body` throws.
  public func forEachUnsignedDecision(_ question: Question, _ body: (UnsignedDecision) throws -> Void) throws {
    var last: Int64 = 0
    while true {
      let lines = try linesOfBothKinds(after: last)
      guard let end = lines.last else { return }
      last = end
      func answers(_ question: Question) throws -> [Int64: Entitlement] {
        let found = try entitlements(question.leastTrust) { try ask($0, lines.map { ($0, question) }) }
        return Dictionary(found.map { ($0.lineID, $0) }) { first, _ in first }
      }
      let (all, signed) = (try answers(question), try answers(question.ofSignedEvidence))
      for line in lines {
        guard let entitlement = all[line], entitlement.trust != "verified", let other = signed[line],
          Self.differs(other, entitlement)
        else { continue }
        try body(UnsignedDecision(entitlement: entitlement, signed: other))
      }
    }
  }

  /// The next subscriptions of which both signed and unsigned payloads tell.
  private func linesOfBothKinds(after last: Int64) throws -> [Int64] {
    try reading(lineQueue) { database in
      try Int64.fetchAll(
        database,
        sql: """
          SELECT l.line_id FROM main.projection_line l
          WHERE l.line_id > ? AND l.least_trust = 0
            AND EXISTS (\(Self.hasSignedEvidence.replacing("?1", with: "l.line_id")))
          ORDER BY l.line_id LIMIT \(Self.batchCount)
          """, arguments: [last])
    }
  }

  /// How many payloads of Production are believed by each root that was added: by its name and digest.
  /// - Throws: ``LedgerError``.
  public func productionPayloadsByAddedRoots() throws -> [(root: RootCertificate, count: Int)] {
    try reading(queue) { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT c.digest, c.name, COUNT(*) AS payloads
          FROM main.root_certificate c JOIN main.payload p ON p.root_id = c.root_id
          WHERE c.is_apple = 0 AND p.environment = 'Production' GROUP BY c.root_id ORDER BY c.name, c.digest
          """
      ).map { row in
        let digest = Digest(bytes: [UInt8](row["digest"] as Data))
        return (RootCertificate(digest: digest, name: row["name"], isApple: false), row["payloads"])
      }
    }
  }
}

extension Question {
  /// The same, of signed evidence alone.
  var ofSignedEvidence: Question { Question(asOf: asOf, knownAt: knownAt, leastTrust: .signed) }
}
