internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// One thing that an audit found wrong.
public struct AuditFinding: Sendable, Equatable {
  /// The kinds of findings. Their names are stable.
  public enum Code: String, Sendable {
    /// SQLite's own check reports an error in the structure of the file.
    case integrity
    /// A row refers to a row that does not exist.
    case foreignKey = "foreign_key"
    /// A table, trigger, index or view differs from the one that this program creates.
    case schema
    /// A row of the evidence changed after it was recorded.
    case changedRow = "changed_row"
    /// A row of the evidence was removed after it was recorded.
    case removedRow = "removed_row"
    /// A row of the evidence was not recorded by the ledger.
    case insertedRow = "inserted_row"
    /// The chain of seals is broken, or does not contain the anchor.
    case seal
    /// An erasure was recorded after the anchor, and nobody has acknowledged it.
    case erasure
    /// A projection differs from what the views derive (law 5).
    case projection
    /// The digest of a stored text differs from its recorded digest (law 6).
    case digest
    /// A stored signature cannot be verified.
    case signature
    /// The derived state differs from Apple's status (law 7, rules §8).
    case disagreement
  }

  /// Whether the finding shows that recorded evidence may have changed.
  public var isTampering: Bool {
    switch code {
    case .integrity, .schema, .changedRow, .removedRow, .insertedRow, .seal, .digest: true
    case .foreignKey, .erasure, .projection, .signature, .disagreement: false
    }
  }

  /// The kind of the finding.
  public var code: Code
  /// Where it is: a table, a digest, a seal or a subscription.
  public var location: String
  /// What is wrong, in words.
  public var detail: String
}

/// The findings of one check, in order. For each kind it contains the first findings and the number of the others.
struct FindingList: Sendable {
  /// The greatest number of findings of one kind in the list. Others are only counted.
  private static let limit = 20
  private var findings: [(finding: AuditFinding, kind: String?)] = []
  /// How many findings there are of each kind, listed or not.
  private var counts: [String: Int] = [:]

  /// Adds a finding to the list.
  /// - Parameter kind: the kind that it is counted with; `nil` for a finding that is always listed.
  mutating func note(_ code: AuditFinding.Code, _ location: String, _ detail: String, of kind: String? = nil) {
    add(AuditFinding(code: code, location: location, detail: detail), kind.map { "\(code.rawValue) of \($0)" })
  }

  private mutating func add(_ finding: AuditFinding, _ kind: String?) {
    if let kind {
      counts[kind, default: 0] += 1
      if counts[kind, default: 0] > Self.limit { return }
    }
    findings.append((finding, kind))
  }

  /// Adds the findings of the same check on other rows.
  mutating func append(_ other: FindingList) {
    for (finding, kind) in other.findings { add(finding, kind) }
    for (kind, count) in other.counts where count > Self.limit { counts[kind, default: 0] += count - Self.limit }
  }

  /// The findings, then one finding for each kind that has more.
  var all: [AuditFinding] {
    findings.map(\.finding)
      + counts.filter { $0.value > Self.limit }.sorted { $0.key < $1.key }.compactMap { kind, count in
        findings.first { $0.kind == kind }.map {
          AuditFinding(code: $0.finding.code, location: kind, detail: "and \(count - Self.limit) more like these")
        }
      }
  }
}
