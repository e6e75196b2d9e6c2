import Foundation
import AppStoreSimulator
import TestSupport
import Testing

/// What is signed is accepted by Apple's own verifier, `app-store-server-library` in Python, and what is tampered with is
/// not.
@Suite(.takesTurns) struct VerifierTests {
  static let script = """
    import json, sys
    from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
    from appstoreserverlibrary.models.Environment import Environment
    from appstoreserverlibrary.receipt_utility import ReceiptUtility
    root, environment, bundle, path = sys.argv[1:5]
    pem = open(root).read()
    import base64
    der = base64.b64decode("".join(pem.split("-----")[2].split()))
    app = 1234567890 if environment == "Production" else None
    verifier = SignedDataVerifier([der], False, Environment(environment), bundle, app)
    counts = {"notifications": 0, "transactions": 0, "renewals": 0, "receipts": 0, "refused": 0}
    def transaction(text):
        decoded = verifier.verify_and_decode_signed_transaction(text)
        assert decoded.transactionId and decoded.rawEnvironment == environment
        counts["transactions"] += 1
    def renewal(text):
        decoded = verifier.verify_and_decode_renewal_info(text)
        assert decoded.originalTransactionId and decoded.autoRenewStatus is not None
        counts["renewals"] += 1
    def notification(text):
        decoded = verifier.verify_and_decode_notification(text)
        assert decoded.notificationType is not None, decoded.rawNotificationType
        assert decoded.subtype is not None or decoded.rawSubtype is None
        counts["notifications"] += 1
        if decoded.data and decoded.data.signedTransactionInfo: transaction(decoded.data.signedTransactionInfo)
        if decoded.data and decoded.data.signedRenewalInfo: renewal(decoded.data.signedRenewalInfo)
    for line in open(path):
        payload = json.loads(line)["payload"]
        if isinstance(payload, str):
            assert len(ReceiptUtility().extract_transaction_id_from_app_receipt(payload)) >= 10
            counts["receipts"] += 1
            continue
        if "signedPayload" in payload:
            notification(payload["signedPayload"])
            tampered = payload["signedPayload"][:-8] + "AAAAAAAA"
            try: verifier.verify_and_decode_notification(tampered)
            except VerificationException: counts["refused"] += 1
        for item in payload.get("notificationHistory", []): notification(item["signedPayload"])
        for text in payload.get("signedTransactions", []): transaction(text)
        if "signedTransactionInfo" in payload: transaction(payload["signedTransactionInfo"])
        for group in payload.get("data", []):
            for last in group["lastTransactions"]:
                transaction(last["signedTransactionInfo"])
                renewal(last["signedRenewalInfo"])
    print(json.dumps(counts))
    """

  @Test(
    .enabled(
      if: AppleLibrary.python != nil, "Apple's app-store-server-library could not be installed with python3 -m pip"),
    arguments: [RenewalRate.realTime, .sandbox])
  func `Apple's own library verifies and decodes all that is signed`(rate: RenewalRate) throws {
    let folder = try TemporaryFolder()
    let authority = try Portfolio.authority.get()
    let simulation = try Simulation(
      catalog: .builtIn(), seed: 4, customers: 6, from: day(0), to: day(rate == .realTime ? 400 : 0.1), rate: rate)
    var (lines, notifications) = ([UInt8](), 0)
    let formats = Format.allCases.filter(\.isSigned)
    try MessageStream(simulation: simulation, formats: formats, signer: authority.signer).send { message in
      lines += message.line
      if message.format == .notificationV2 { notifications += 1 }
    }
    let path = try folder.write(String(decoding: lines, as: UTF8.self), to: "said.ndjson")
    let script = try folder.write(Self.script, to: "verify.py")
    let root = try folder.write(authority.root, to: "root.pem")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script, root, rate.environment.name, simulation.catalog.bundleID, path]
    process.environment = ProcessInfo.processInfo.environment.merging(AppleLibrary.python ?? [:]) { $1 }
    let (output, complaints) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, complaints)
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    let complained = String(decoding: try complaints.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(complained)")
    let counts = try JSONDecoder().decode([String: Int].self, from: printed)
    #expect(notifications > 20)
    // Each notification is in the notification history too.
    #expect(counts["notifications"] == notifications * 2)
    #expect(counts["refused"] == notifications && (counts["receipts"] ?? 0) > 10)
    #expect((counts["transactions"] ?? 0) > notifications && (counts["renewals"] ?? 0) > notifications)
  }

  @Test func `a stored authority signs again with the same chain, and another key is refused`() throws {
    let (made, other) = (try CertificateAuthority(), try CertificateAuthority())
    let stored = try CertificateAuthority(chain: made.chain, receiptChain: made.receiptChain)
    #expect(stored.root == made.root)
    let heads = try [made, stored].map { try $0.signer.sign(Array("{}".utf8)).prefix { $0 != UInt8(ascii: ".") } }
    #expect(heads[0] == heads[1])
    typealias Chain = CertificateAuthority.Chain
    for wrong in [
      Chain(certificates: made.chain.certificates, key: other.chain.key), Chain(certificates: "", key: made.chain.key),
      made.receiptChain,
    ] {
      #expect(throws: AuthorityError.self) { try CertificateAuthority(chain: wrong, receiptChain: made.receiptChain) }
    }
    for wrong in [
      Chain(certificates: made.receiptChain.certificates, key: other.receiptChain.key), made.chain,
    ] {
      #expect(throws: AuthorityError.self) { try CertificateAuthority(chain: made.chain, receiptChain: wrong) }
    }
  }
}
