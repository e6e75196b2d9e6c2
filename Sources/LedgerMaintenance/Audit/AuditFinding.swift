internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// Something that an audit found.
public struct AuditFinding: Sendable, Equatable {
  /// The kinds of finding: stable names.
  public enum Code: String, Sendable {
    /// SQLite's own check of the file's structure.
    case integrity
    /// A row refers to one that is not there.
    case foreignKey = "foreign_key"
    /// A table, trigger, index or view is not as this program makes it.
    case schema
    /// A row of the evidence is not as it was recorded.
    case changedRow = "changed_row"
    /// A row of the evidence is no longer there.
    case removedRow = "removed_row"
    /// A row of the evidence was not recorded by the ledger.
    case insertedRow = "inserted_row"
    /// The chain of seals is broken, or is not that of an anchor.
    case seal
    /// An erasure was made since an anchor, and nobody has acknowledged it.
    case erasure
    /// A projection is not what the general text derives (law 5).
    case projection
    /// A stored text does not give back its digest (law 6).
    case digest
    /// A stored signature is not believed.
    case signature
    /// The derived state differs from Apple's status (law 7, rules §8).
    case disagreement
  }

  /// Whether evidence is not what it was when it was recorded.
  public var isTampering: Bool {
    switch code {
    case .integrity, .schema, .changedRow, .removedRow, .insertedRow, .seal, .digest: true
    case .foreignKey, .erasure, .projection, .signature, .disagreement: false
    }
  }

  /// What kind.
  public var code: Code
  /// Where: a table, a digest, a line.
  public var place: String
  /// What, in words.
  public var detail: String
}

/// What a check found, in order: of a kind the first findings, and how many more.
struct FindingList: Sendable {
  /// How many findings of a kind the list has; of more, it has the number.
  private static let limit = 20
  private var findings: [(finding: AuditFinding, kind: String?)] = []
  /// How many there are of a kind, told or not.
  private var counts: [String: Int] = [:]

  /// Notes a finding.
  /// - Parameter kind: what it is counted with; `nil` for a finding that is always told.
  mutating func note(_ code: AuditFinding.Code, _ place: String, _ detail: String, of kind: String? = nil) {
    add(AuditFinding(code: code, place: place, detail: detail), kind.map { "\(code.rawValue) of \($0)" })
  }

  private mutating func add(_ finding: AuditFinding, _ kind: String?) {
    if let kind {
      counts[kind, default: 0] += 1
      if counts[kind, default: 0] > Self.limit { return }
    }
    findings.append((finding, kind))
  }

  /// Adds what the same check found elsewhere.
  mutating func append(_ other: FindingList) {
    for (finding, kind) in other.findings { add(finding, kind) }
    for (kind, count) in other.counts where count > Self.limit { counts[kind, default: 0] += count - Self.limit }
  }

  /// The findings, then the kinds that have more.
  var all: [AuditFinding] {
    findings.map(\.finding)
      + counts.filter { $0.value > Self.limit }.sorted { $0.key < $1.key }.compactMap { kind, count in
        findings.first { $0.kind == kind }.map {
          AuditFinding(code: $0.finding.code, place: kind, detail: "and \(count - Self.limit) more like these")
        }
      }
  }
}
