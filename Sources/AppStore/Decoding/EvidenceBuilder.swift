/// Collects what a decoder finds in one text, and cuts Apple's objects out of the text at the end.
struct EvidenceBuilder {
  let document: JSONDocument
  let kind: PayloadKind
  var trust: Trust
  var environment = Environment.unknown
  var bundleID: String?
  var appAppleID: String?
  var statedAt: Instant?
  var receiptStatus: Int64?
  var failure: FailureAdvice?
  var notification: NotificationFields?
  var clientEvent: ClientEvent?
  var sendAttempts: [SendAttempt] = []
  var orderID: String?
  /// The text that ``document`` came from, if it was signed.
  var text: SignedText?
  /// The payload's own text and its digest, if ``document`` is only a reading of it. Then nothing is cut out.
  var whole: (text: SignedText, digest: ContentDigest)?
  /// The digest of the whole payload, if ``document`` is only a part of it.
  var arrivalDigest: ContentDigest?
  /// The digest of ``document``, if it was computed already. It is valid if the same receipts were replaced.
  var arrival: ArrivalDigest?

  private(set) var transactions: [TransactionVersion] = []
  private(set) var renewals: [RenewalVersion] = []
  private(set) var appTransactions: [AppTransactionVersion] = []
  private(set) var problems: [Problem] = []
  /// The problems noted so far. If two readers report one field, it is one problem.
  private var noted: Set<ProblemKey> = []
  /// How many rows, or values that should contain rows, could not be read.
  private(set) var unusableRowCount = 0
  /// The greatest past-facing date noted so far, and the value that states it.
  private var pastFacing: (instant: Instant, source: JSONValue)?
  /// The root of the signed texts so far. A root that the caller added takes precedence over Apple's.
  private var root: RootCertificate?
  /// Whether the payload states anything about purchases without a signature.
  private var isPartlyUnsigned = false
  private(set) var receiptData: [ReceiptData] = []
  var claims: [StatusClaim] = []
  private var nested: [(position: Int, digest: ContentDigest)] = []
  private var cutter = SourceCutter()
  /// The objects already seen here, with their rank. A repeated row adds no information.
  private var seen: Set<RowKey> = []

  private struct ProblemKey: Hashable {
    var code: Problem.Code
    var path: String
  }

  private struct RowKey: Hashable {
    var digest: ContentDigest
    var rank: SourceRank
    var environment: String
    var originalTransactionID: String
    var transactionID: String?

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
  }

  init(document: JSONDocument, kind: PayloadKind, trust: Trust) {
    self.document = document
    self.kind = kind
    self.trust = trust
  }

  mutating func note(_ code: Problem.Code, at value: JSONValue) {
    note([Problem(code: code, path: value.path, value: value.source)])
  }

  mutating func note(_ problems: [Problem]) {
    for problem in problems where noted.insert(ProblemKey(code: problem.code, path: problem.path)).inserted {
      self.problems.append(problem)
    }
  }

  /// Whether no object was cut out of the text.
  var isEmpty: Bool { transactions.isEmpty && renewals.isEmpty && appTransactions.isEmpty }

  /// Counts a row, or a value that should contain rows, in which nothing can be recorded.
  mutating func countUnusableRow() { unusableRowCount += 1 }

  /// Notes a problem and counts a lost row.
  mutating func countUnusableRow(_ code: Problem.Code, at value: JSONValue) {
    note(code, at: value)
    countUnusableRow()
  }

  /// Notes a date that lies before the payload was written. It is ignored if the payload states its own date.
  mutating func note(pastFacing instant: Instant?, at source: JSONValue) {
    guard let instant, statedAt == nil, pastFacing.map({ $0.instant < instant }) ?? true else { return }
    pastFacing = (instant, source)
  }

  /// Records the root of a signature that makes an object count as evidence. `nil` means that it counts for another
  /// reason.
  mutating func addSigningRoot(_ root: RootCertificate?) {
    guard let root else { return isPartlyUnsigned = true }
    if self.root?.isApple ?? true { self.root = root }
  }

  mutating func addNestedPayload(_ digest: ContentDigest, at range: Range<Int>) {
    nested.append((range.lowerBound, digest))
    cutter.cut(range)
  }

  /// Returns the environment to record. Decoded JSON that states Production gets the environment Unverified.
  func recordedEnvironment(_ environment: Environment) -> Environment {
    trust == .unverified && environment == .production ? .unverified : environment
  }

  mutating func add(_ version: TransactionVersion, cutting range: Range<Int>?) {
    let stated = RowKey(
      digest: version.object.digest, rank: version.rank, environment: version.environment.name,
      originalTransactionID: version.originalTransactionID, transactionID: version.transactionID)
    if seen.insert(stated).inserted { transactions.append(cutOut(version, at: range)) }
  }

  mutating func add(_ version: RenewalVersion, cutting range: Range<Int>?) {
    let stated = RowKey(
      digest: version.object.digest, rank: version.rank, environment: version.environment.name,
      originalTransactionID: version.originalTransactionID)
    if seen.insert(stated).inserted { renewals.append(cutOut(version, at: range)) }
  }

  mutating func add(_ version: AppTransactionVersion, cutting range: Range<Int>?) {
    appTransactions.append(cutOut(version, at: range))
  }

  private mutating func cutOut<Version: ObjectVersion>(_ version: Version, at range: Range<Int>?) -> Version {
    var version = version
    version.object.position = range?.lowerBound
    if let range { cutter.cut(range) }
    return version
  }

  /// Replaces the text of a receipt with its digest. Every poll repeats receipts, with tens of kilobytes each.
  mutating func replaceReceipt(_ value: JSONValue?) {
    guard let range = ArrivalDigest.receiptRange(value) else { return }
    let bytes = document.bytes[range]
    let digest = ContentDigest(sha256: bytes)
    receiptData.append(ReceiptData(digest: digest, text: Array(bytes)))
    cutter.replace(range, with: ArrivalDigest.placeholder(for: digest))
  }

  /// The greatest past-facing date inside (rules §1, evidence instant). An expiry date counts only if the response itself
  /// states that the subscription has expired (21006).
  private var inferredAt: Instant? {
    var last = pastFacing?.instant
    func note(_ date: Instant?) {
      if let date, last.map({ $0 < date }) ?? true { last = date }
    }
    for version in transactions {
      if receiptStatus == 21_006 { note(version.fields.expiresAt) }
      note(version.fields.purchaseAt)
      note(version.fields.originalPurchaseAt)
      note(version.fields.revokedAt)
    }
    for version in renewals { note(version.fields.autoRenewStatusChangedAt) }
    return last
  }

  /// The ids in the text that no version here is about. It searches only payloads that lost rows; most lose none.
  private var mentions: [Mention] {
    let isAboutNothing = transactions.isEmpty && renewals.isEmpty && notification?.originalTransactionID != nil
    guard unusableRowCount > 0 || isAboutNothing else { return [] }
    let known = Set(
      transactions.flatMap { [$0.transactionID, $0.originalTransactionID, $0.fields.webOrderLineItemID ?? ""] }
        + renewals.map(\.originalTransactionID) + claims.map(\.originalTransactionID)
        + [notification?.uuid ?? ""])
    return Mention.all(in: document.bytes).filter { !known.contains($0.identifier) }
  }

  /// Returns the evidence, after cutting the objects out of the text.
  func finished() -> Evidence {
    let (source, positions, digest) =
      whole.map { ($0.text.source, [:], $0.digest) }
      ?? cutter.apply(to: document.bytes, digest: arrivalDigest, arrival: arrival)
    func withPositions<Version: ObjectVersion>(_ versions: [Version]) -> [Version] {
      versions.map { version in
        var version = version
        version.object.position = version.object.position.flatMap { positions[$0] }
        return version
      }
    }
    let parts = whole?.text ?? text
    let text = SignedText(source: source, header: parts?.header, signature: parts?.signature)
    var evidence = Evidence(
      kind: kind, digest: digest, text: text, trust: trust, environment: recordedEnvironment(environment))
    evidence.bundleID = bundleID ?? transactions.lazy.compactMap(\.fields.bundleID).first
    evidence.appAppleID = appAppleID
    evidence.statedAt = statedAt
    evidence.inferredAt = inferredAt
    evidence.inferredPath = pastFacing?.instant == inferredAt ? pastFacing?.source.path : nil
    evidence.root = isPartlyUnsigned ? nil : root
    evidence.receiptStatus = receiptStatus
    evidence.failure = failure
    evidence.notification = notification
    evidence.clientEvent = clientEvent
    evidence.sendAttempts = sendAttempts
    evidence.orderID = orderID
    evidence.transactions = withPositions(transactions)
    evidence.renewals = withPositions(renewals)
    evidence.appTransactions = withPositions(appTransactions)
    evidence.claims = claims
    evidence.problems = problems
    evidence.receiptData = receiptData
    evidence.unusableRowCount = unusableRowCount
    evidence.mentions = mentions
    evidence.nested = nested.compactMap { payload in
      positions[payload.position].map { ($0, payload.digest) }
    }
    return evidence
  }
}
