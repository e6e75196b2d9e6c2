public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
public import LedgerStore

extension LedgerReader {
  /// Checks the file and everything that is derived from it, on all cores.
  ///
  /// All checks see the state of the file at the beginning of the audit. Others may record meanwhile. A table that
  /// SQLite cannot read is a finding. Checks that do not need it still run.
  /// - Parameters:
  ///   - options: what to check.
  ///   - progress: called often, one call at a time, on any thread.
  /// - Returns: the checks and their findings.
  /// - Throws: `LedgerError` when the file cannot be read at all.
  public func audit(
    _ options: AuditOptions, progress: @escaping @Sendable (AuditProgress) -> Void = { _ in }
  ) async throws -> AuditReport {
    let connections = try auditing { $0 }
    defer { connections.close() }
    var run = AuditRun(path: path, connections: connections, options: options, progress: progress)
    do {
      if let digest = options.anchor { try run.checkAnchor(digest, self) }
      if options.scope.contains(.file) { try run.checkFile() }
      if options.scope.contains(.signatures), !run.isDamaged { try await run.verifySignatures() }
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: false)
    }
    return run.report
  }

  /// Runs an audit and returns its findings only.
  /// - Parameters:
  ///   - scope: which parts to check.
  ///   - trust: the roots whose signatures are trusted.
  ///   - anchor: the digest of a seal, stored outside of the file.
  ///   - acknowledged: the pseudonyms of erasures that somebody has acknowledged.
  /// - Returns: the findings; empty when nothing is wrong.
  /// - Throws: `LedgerError` when the file cannot be read at all.
  public func audit(
    _ scope: AuditScope = .file, trust: TrustStore = .apple, against anchor: ContentDigest? = nil,
    acknowledging acknowledged: Set<String> = []
  ) async throws -> [AuditFinding] {
    var options = AuditOptions()
    (options.scope, options.trust, options.anchor, options.acknowledged) = (scope, trust, anchor, acknowledged)
    return try await audit(options).findings
  }

  /// Opens the connections of an audit, and turns errors of SQLite into `LedgerError`.
  func auditing<Value>(_ body: (AuditConnections) throws -> Value) throws -> Value {
    try LedgerError.wrapping(path, isWriting: false) { try body(AuditConnections(path: path)) }
  }
}

/// The parts of the ledger that an audit checks.
public struct AuditScope: OptionSet, Sendable {
  /// The bits of the option set.
  public let rawValue: Int
  /// Creates a scope from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// SQLite's checks, foreign keys, the schema, the seals, the projections, the digests of texts, and disagreements
  /// with Apple's status (rules §8).
  public static let file = AuditScope(rawValue: 1)
  /// Every stored signature, verified again, and the columns that were read from signed texts.
  public static let signatures = AuditScope(rawValue: 2)
}

/// One audit. It runs the checks one after the other.
struct AuditRun {
  private let path: String
  private let connections: AuditConnections
  private let options: AuditOptions
  private let progress: @Sendable (AuditProgress) -> Void
  private(set) var report = AuditReport()
  /// The tables that SQLite cannot read.
  private var damaged: Set<String> = []
  /// Whether SQLite found damage. The pages of the file can then contain anything.
  private(set) var isDamaged = false
  private let clock = ContinuousClock()
  private var selection: AuditSelection?
  /// Whether the audit checks only what was recorded after a seal.
  private var isPartial = false

  init(
    path: String, connections: AuditConnections, options: AuditOptions = AuditOptions(),
    progress: @escaping @Sendable (AuditProgress) -> Void = { _ in }
  ) {
    (self.path, self.connections, self.options, self.progress) = (path, connections, options, progress)
  }

  private var file: DatabaseQueue { connections.pairs[0].stored }
  private var threads: Int { connections.pairs.count }

  private mutating func note(
    _ check: AuditCheck, _ count: Int, _ unit: String, _ duration: Duration, _ findings: [AuditFinding],
    gap: String? = nil
  ) {
    report.findings += findings
    report.checks.append(
      AuditReport.Check(
        check: check, count: count, unit: unit, duration: duration, findingCount: findings.count, gap: gap))
  }

  /// Returns a function that reports how many slices of a check are done.
  private func share(_ check: AuditCheck, of count: Int) -> @Sendable (Int) -> Void {
    { [progress] done in progress(AuditProgress(check: check, share: Double(done) / Double(max(1, count)))) }
  }

  // MARK: - Checks

  mutating func checkAnchor(_ digest: ContentDigest, _ ledger: LedgerReader) throws {
    let start = clock.now
    var findings: [AuditFinding] = []
    if let anchor = try ledger.anchor(with: digest) {
      findings = try ledger.erasureFindings(since: anchor, options.acknowledged)
    } else {
      findings.append(
        AuditFinding(
          code: .seal, location: digest.hexadecimal,
          detail: "no seal has this digest: it belongs to another ledger, or history was cut off or rebuilt"))
    }
    note(.anchor, 1, "seals", clock.now - start, findings)
  }

  mutating func checkFile() throws {
    try checkStructure()
    if isDamaged, !damaged.isDisjoint(with: Self.neededForSeals) { return }
    let start = clock.now
    let schema = try file.unsafeRead { try Self.schemaFindings($0) }
    note(.schema, try file.unsafeRead { try Self.tables($0).count }, "tables", clock.now - start, schema)
    // A query can fail when a table is missing or a view differs. The schema finding already states the cause.
    try guarding("seals", .seals, schema) { run in try run.checkSeals() }
    if isDamaged { return }
    try guarding("digests", .texts, schema) { run in try run.checkTexts() }
    try guarding("projections", .projections, schema) { run in try run.checkSubscriptions() }
  }

  private mutating func guarding(
    _ name: String, _ check: AuditCheck, _ schema: [AuditFinding], _ body: (inout AuditRun) throws -> Void
  ) throws {
    do {
      try body(&self)
    } catch let error as DatabaseError where !schema.isEmpty || isDamaged {
      let message = LedgerError(error, path: path, isWriting: false).message
      let finding = AuditFinding(code: .schema, location: name, detail: "cannot be checked: \(message)")
      note(check, 0, "rows", .zero, [finding], gap: "cannot be checked")
    }
  }

  /// Runs the checks for a copy that will be kept: those of the evidence. An older version's file gets only those that
  /// apply to it.
  mutating func checkCopy() throws {
    try checkStructure()
    guard report.findings.isEmpty, try file.unsafeRead({ try Schema.isComplete($0) }) else { return }
    report.findings += try file.unsafeRead { try Self.schemaFindings($0, allowsOlderViews: true) }
    if report.findings.isEmpty { try checkSeals() }
  }

  private static func schemaFindings(_ database: Database, allowsOlderViews: Bool = false) throws -> [AuditFinding] {
    try SchemaAudit(database).differences(allowsOlderViews: allowsOlderViews).map {
      AuditFinding(code: .schema, location: $0.object, detail: $0.detail)
    }
  }

  private static func tables(_ database: Database) throws -> [String] {
    try String.fetchAll(
      database, sql: "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1")
  }

  /// Runs SQLite's own check and the check of references at the same time.
  private mutating func checkStructure() throws {
    enum Job: Sendable {
      case structure
      case references(String)
    }
    typealias Result = (isStructure: Bool, duration: Duration, findings: [AuditFinding])
    // When the list of tables cannot be read, SQLite's own check reports it.
    let tables = (try? file.unsafeRead { try Self.tables($0) }) ?? []
    let jobs = [Job.structure] + tables.map(Job.references)
    let (path, pairs) = (path, connections.pairs)
    progress(AuditProgress(check: .structure, share: nil))
    let results = try Slices.run(jobs, threads: threads) { thread, take in
      try pairs[thread].stored.unsafeRead { database in
        while try take({ job -> Result in
          let start = ContinuousClock.now
          switch job {
          case .structure:
            let findings = Self.integrityFindings(database, "integrity_check", location: path)
            return (true, ContinuousClock.now - start, findings)
          case .references(let table):
            return (false, ContinuousClock.now - start, Self.referenceFindings(database, table))
          }
        }) {}
      }
    }
    let structure = results.filter(\.isStructure).flatMap(\.findings)
    let references = results.filter { !$0.isStructure }
    let pages = try? file.unsafeRead { try Int.fetchOne($0, sql: "PRAGMA main.page_count") } ?? 0
    note(.structure, pages ?? 0, "pages", results.first { $0.isStructure }?.duration ?? .zero, structure)
    note(
      .references, tables.count, "tables", references.map(\.duration).reduce(.zero, +),
      references.flatMap(\.findings))
    if !structure.isEmpty { try findDamage(tables) }
  }

  /// Returns the messages of SQLite's own check, and the reason when it stops early.
  private static func integrityFindings(_ database: Database, _ pragma: String, location: String) -> [AuditFinding] {
    let lines: [String]
    do {
      lines = try String.fetchAll(database, sql: "PRAGMA main.\(pragma)")
    } catch {
      lines = [message(of: error)]
    }
    return lines.filter { $0 != "ok" }.map { AuditFinding(code: .integrity, location: location, detail: $0) }
  }

  private static func message(of error: any Error) -> String {
    (error as? DatabaseError)?.message ?? "it cannot be read"
  }

  /// Returns the rows that refer to a row that does not exist, and the reason where the table cannot be read.
  private static func referenceFindings(_ database: Database, _ table: String) -> [AuditFinding] {
    let rows: [Row]
    do {
      rows = try Row.fetchAll(database, sql: "PRAGMA main.foreign_key_check(\(table.quotedDatabaseIdentifier))")
    } catch {
      return [AuditFinding(code: .integrity, location: table, detail: message(of: error))]
    }
    return rows.map { row in
      AuditFinding(
        code: .foreignKey, location: row["table"],
        detail: "a row refers to a row of \(row["parent"] as String) that does not exist")
    }
  }

  /// Finds the damaged tables. The other tables can still be compared with the seals.
  private mutating func findDamage(_ tables: [String]) throws {
    for table in tables {
      let findings = file.unsafeRead {
        Self.integrityFindings($0, "integrity_check(\(table.quotedDatabaseIdentifier))", location: table)
      }
      if !findings.isEmpty { damaged.insert(table) }
    }
    isDamaged = true
    // No table can be read without the list of tables.
    if tables.isEmpty { damaged = Self.neededForSeals }
    let list = damaged.sorted().joined(separator: ", ")
    let words =
      !damaged.isDisjoint(with: Self.neededForSeals)
      ? "nothing else can be checked until the file is repaired: restore a backup"
      : (damaged.isEmpty ? "" : "damaged: \(list). ")
        + "only the seals of the other tables were checked: restore a backup"
    report.findings.append(AuditFinding(code: .integrity, location: path, detail: words))
  }

  private static let neededForSeals: Set = [
    "seal", "sealed_table", "erasable_table", "erasable_column", "erasure", "rewritten_row",
  ]

  /// Returns the rows to check, and chooses them once.
  private mutating func select() throws -> AuditSelection {
    if let selection { return selection }
    let start = clock.now
    var seal: Int64?
    if let digest = options.since {
      seal = try file.unsafeRead { try Anchor.read($0, "WHERE digest = ?", [digest.data])?.seal }
      if seal == nil {
        let words =
          "no seal has this digest, so everything is checked: it belongs to another ledger, or history was cut off"
        note(
          .anchor, 1, "seals", clock.now - start,
          [AuditFinding(code: .seal, location: digest.hexadecimal, detail: words)])
      }
    }
    isPartial = seal != nil
    let chosen = try file.unsafeRead { try AuditSelection($0, after: seal, share: options.sample) }
    selection = chosen
    return chosen
  }

  private mutating func checkSeals() throws {
    let start = clock.now
    let (selection, damaged, pairs) = (try select(), damaged, connections.pairs)
    let results = try Slices.run(
      selection.seals, threads: threads, done: share(.seals, of: selection.seals.count)
    ) { thread, take in
      try pairs[thread].stored.unsafeRead { database in
        var audit = try SealAudit(database, damaged: damaged)
        while try take({ try audit.check($0) }) {}
      }
    }
    var all = SealAudit.Result()
    for result in results { all.append(result) }
    try file.unsafeRead { database in
      var audit = try SealAudit(database, damaged: damaged)
      all.findings.append(audit.rewritingFindings)
      if selection.isWhole { all.findings.append(try audit.insertedRows(besides: all.rowCounts)) }
    }
    note(.seals, all.rowCounts.values.reduce(0, +), "rows", clock.now - start, all.findings.all, gap: gap)
  }

  private mutating func checkTexts() throws {
    let start = clock.now
    let (selection, pairs) = (try select(), connections.pairs)
    let slices = selection.texts
    var results = try Slices.run(slices, threads: threads, done: share(.texts, of: slices.count)) { thread, take in
      try pairs[thread].stored.unsafeRead { database in
        let audit = TextAudit(database)
        while try take({ try audit.check($0) }) {}
      }
    }
    if selection.isWhole { results.append(try file.unsafeRead { try AppleReportAudit($0).check() }) }
    var findings = FindingList()
    for result in results { findings.append(result.findings) }
    note(.texts, results.map(\.count).reduce(0, +), "texts", clock.now - start, findings.all, gap: gap)
  }

  /// Checks the projections, the stored metric deltas and Apple's statuses of all subscriptions, in one pass.
  private mutating func checkSubscriptions() throws {
    let start = clock.now
    let (selection, pairs) = (try select(), connections.pairs)
    let slices = selection.subscriptions
    typealias Result = (projections: ProjectionAudit.Result, history: MetricAndStatusAudit.Result)
    let results = try Slices.run(
      slices, threads: threads, done: share(.projections, of: slices.count)
    ) { thread, take in
      try pairs[thread].derived.unsafeRead { derived in
        let projections = try ProjectionAudit(derived)
        try pairs[thread].stored.unsafeRead { stored in
          var history = try MetricAndStatusAudit(stored)
          while try take({ (try projections.check($0), try history.check($0)) as Result }) {}
        }
      }
    }
    var (projections, metrics, status) = (FindingList(), FindingList(), FindingList())
    for result in results {
      projections.append(result.projections.findings)
      metrics.append(result.history.metrics)
      status.append(result.history.status)
    }
    if selection.isWhole {
      metrics.append(try pairs[0].stored.unsafeRead { try MetricAndStatusAudit.checkSums($0) })
    }
    let threads = Swift.min(threads, max(1, slices.count))
    let ofMetrics = results.map(\.history.metricsDuration).reduce(.zero, +) / threads
    let ofStatus = results.map(\.history.statusDuration).reduce(.zero, +) / threads
    note(
      .projections, results.map(\.projections.count).reduce(0, +), "subscriptions",
      clock.now - start - ofMetrics - ofStatus, projections.all, gap: gap)
    note(.metrics, results.map(\.history.metricsCount).reduce(0, +), "subscriptions", ofMetrics, metrics.all, gap: gap)
    note(.status, results.map(\.history.statusCount).reduce(0, +), "statuses", ofStatus, status.all, gap: gap)
  }

  mutating func verifySignatures() async throws {
    let start = clock.now
    let audit = try SignatureAudit(trust: options.trust)
    let first = try select().first
    let (findings, count) = try await audit.check(file, from: first) { [progress] share in
      progress(AuditProgress(check: .signatures, share: share))
    }
    note(.signatures, count, "texts", clock.now - start, findings.all)
  }

  /// What the audit left out, in words; `nil` for nothing.
  private var gap: String? {
    let parts = [
      isPartial ? "only what was recorded after the seal" : nil,
      options.sample < 1 ? "only a sample" : nil,
      damaged.isEmpty ? nil : "not the damaged tables",
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
