/// Evidence in the making: collects what a decoder finds in one text, and cuts the statements out of it at the end.
struct Draft {
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
  /// The text that ``document`` stood in, where it was signed.
  var text: SignedText?
  /// The digest of the whole arrival, where that is not ``document`` itself.
  var arrivalDigest: Digest?

  private(set) var transactions: [TransactionVersion] = []
  private(set) var renewals: [RenewalVersion] = []
  private(set) var appTransactions: [AppTransactionVersion] = []
  private(set) var problems: [Problem] = []
  private(set) var receiptData: [ReceiptData] = []
  var claims: [StatusClaim] = []
  private var nested: [(position: Int, digest: Digest)] = []
  private var cutter = SourceCutter()
  /// Statements already seen here with their rank: a payload that repeats a row says nothing more by it.
  private var seen: Set<Said> = []

  private struct Said: Hashable {
    var digest: Digest
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
    problems.append(Problem(code: code, path: value.path, value: value.source))
  }

  mutating func note(_ problems: [Problem]) { self.problems += problems }

  mutating func nest(_ digest: Digest, at range: Range<Int>) {
    nested.append((range.lowerBound, digest))
    cutter.cut(range)
  }

  /// Evidence of decoded JSON that claims to be of Production stands in an environment of its own.
  func worldly(_ environment: Environment) -> Environment {
    trust == .unverified && environment == .production ? .unverified : environment
  }

  mutating func add(_ version: TransactionVersion, cutting range: Range<Int>?) {
    let said = Said(
      digest: version.statement.digest, rank: version.rank, environment: version.environment.name,
      originalTransactionID: version.originalTransactionID, transactionID: version.transactionID)
    if seen.insert(said).inserted { transactions.append(cutOut(version, at: range)) }
  }

  mutating func add(_ version: RenewalVersion, cutting range: Range<Int>?) {
    let said = Said(
      digest: version.statement.digest, rank: version.rank, environment: version.environment.name,
      originalTransactionID: version.originalTransactionID)
    if seen.insert(said).inserted { renewals.append(cutOut(version, at: range)) }
  }

  mutating func add(_ version: AppTransactionVersion, cutting range: Range<Int>?) {
    appTransactions.append(cutOut(version, at: range))
  }

  private mutating func cutOut<Version: Stating>(_ version: Version, at range: Range<Int>?) -> Version {
    var version = version
    version.statement.position = range?.lowerBound
    if let range { cutter.cut(range) }
    return version
  }

  /// Receipts are repeated by every poll, tens of kilobytes each: their text gives way to its digest.
  mutating func setAside(_ value: JSONValue?) {
    guard let range = ArrivalDigest.receiptRange(value) else { return }
    let bytes = document.bytes[range]
    let digest = Digest(sha256: bytes)
    receiptData.append(ReceiptData(digest: digest, text: Array(bytes)))
    cutter.replace(range, with: ArrivalDigest.standIn(for: digest))
  }

  /// The greatest past-facing date of anything inside (`entitlement-rules.md` §1, evidence_at). An expiry is one only
  /// where the answer is itself that the subscription has expired (21006).
  private var inferredAt: Instant? {
    var dates: [Instant] = []
    for version in transactions {
      if receiptStatus == 21_006 { dates += [version.fields.expiresAt].compactMap(\.self) }
      dates += [version.fields.purchaseAt, version.fields.originalPurchaseAt, version.fields.revokedAt].compactMap(
        \.self)
    }
    for version in renewals { dates += [version.fields.autoRenewStatusChangedAt].compactMap(\.self) }
    return dates.max()
  }

  /// The finished evidence.
  func finished() -> Evidence {
    let (source, positions, digest) = cutter.apply(to: document.bytes, digest: arrivalDigest)
    func placed<Version: Stating>(_ versions: [Version]) -> [Version] {
      versions.map { version in
        var version = version
        version.statement.position = version.statement.position.flatMap { positions[$0] }
        return version
      }
    }
    let text = SignedText(source: source, header: text?.header, signature: text?.signature)
    var evidence = Evidence(
      kind: kind, digest: digest, text: text, trust: trust, environment: worldly(environment))
    evidence.parts = TextForm.split(source)
    evidence.bundleID = bundleID ?? transactions.lazy.compactMap(\.fields.bundleID).first
    evidence.appAppleID = appAppleID
    evidence.statedAt = statedAt
    evidence.inferredAt = inferredAt
    evidence.receiptStatus = receiptStatus
    evidence.failure = failure
    evidence.notification = notification
    evidence.clientEvent = clientEvent
    evidence.sendAttempts = sendAttempts
    evidence.orderID = orderID
    evidence.transactions = placed(transactions)
    evidence.renewals = placed(renewals)
    evidence.appTransactions = placed(appTransactions)
    evidence.claims = claims
    evidence.problems = problems
    evidence.receiptData = receiptData
    evidence.nested = nested.compactMap { nest in positions[nest.position].map { ($0, nest.digest) } }
    return evidence
  }
}

/// What is said by a statement that stood somewhere in its payload.
private protocol Stating {
  var statement: Statement { get set }
}

extension TransactionVersion: Stating {}
extension RenewalVersion: Stating {}
extension AppTransactionVersion: Stating {}
