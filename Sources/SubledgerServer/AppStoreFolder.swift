import AppStore
import AppStoreSimulator
import Foundation
import ProgramSupport
import Synchronization

/// The folder of a local App Store: what a client needs to ask it, and what was bought and sent.
///
/// A later run in the same folder keeps the root and the key, so that a client's settings stay right.
final class AppStoreFolder: Sendable {
  let path: String
  let authority: CertificateAuthority
  let key: APIKey
  private let app: Catalog
  private let lock: FileHandle
  private let purchases: Mutex<OutputFile>

  /// Opens a folder, or creates it.
  /// - Throws: ``InputError`` where the folder has files of another origin, or cannot be written.
  init(_ given: String, of app: Catalog) throws {
    let path = given.count > 1 && given.hasSuffix("/") ? String(given.dropLast()) : given
    let manager = FileManager.default
    let inside = (try? manager.contentsOfDirectory(atPath: path)) ?? []
    guard inside.isEmpty || inside.contains("authority") && inside.allSatisfy(Self.isOurs) else {
      throw InputError(
        "\(path) has files that no local App Store made. Nothing was written. Name a new folder with --out.",
        exitCode: 73)
    }
    do { try manager.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
      throw InputError("Cannot create the folder \(path). Name another one with --out.", exitCode: 73)
    }
    authority = try AuthorityKeeper(folder: path + "/authority").authority()
    key = try Self.key(in: path)
    lock = try Self.lock(path)
    (self.path, self.app) = (path, app)
    do {
      try OutputFile.write(Data(authority.root.utf8), to: path + "/root.pem")
      // Apple's libraries take the root of JWS as DER only. It comes first.
      let base64 = authority.root.split(separator: "\n").dropFirst().prefix { !$0.hasPrefix("-") }.joined()
      try OutputFile.write(Data(base64Encoded: base64) ?? Data(), to: path + "/root.cer")
      try OutputFile.write(Data(LocalAppStore.sharedSecret.utf8), to: path + "/shared-secret.txt", mode: 0o600)
      purchases = Mutex(try OutputFile(path + "/purchases.ndjson"))
    } catch let error as CocoaError {
      throw InputError("Cannot write to \(path): \(error.localizedDescription)", exitCode: 73)
    }
  }

  /// Takes the folder for this process alone.
  private static func lock(_ path: String) throws -> FileHandle {
    let file = open(path + "/AuthKey.p8", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0, flock(file, LOCK_EX | LOCK_NB) == 0 else {
      throw InputError(
        "Another local App Store uses the folder \(path). Stop it, or name another folder with --out.", exitCode: 73)
    }
    // A script that waits for the settings must not read those of an earlier run.
    try? FileManager.default.removeItem(atPath: path + "/settings.env")
    return FileHandle(fileDescriptor: file, closeOnDealloc: true)
  }

  private static func isOurs(_ name: String) -> Bool {
    ["authority", "root.pem", "root.cer", "AuthKey.p8", "shared-secret.txt", "settings.env", "purchases.ndjson"]
      .contains(name)
      || name.hasPrefix("notifications-")
  }

  private static func key(in path: String) throws -> APIKey {
    let file = path + "/AuthKey.p8"
    if let text = try? String(contentsOfFile: file, encoding: .utf8) {
      do { return try APIKey(pem: text) } catch {
        throw InputError("\(file) is not a key that this program made. Name a new folder with --out.")
      }
    }
    let made = APIKey()
    do { try OutputFile.write(Data(made.pem.utf8), to: file, mode: 0o600) } catch is CocoaError {
      throw InputError("Cannot write \(file). Name another folder with --out.", exitCode: 73)
    }
    return made
  }

  /// The file of the notifications of an environment.
  func notifications(_ environment: Environment) -> String {
    path + "/notifications-\(environment.name.lowercased()).ndjson"
  }

  /// The base address of a port.
  static func address(_ host: String, _ port: Int) -> String {
    "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// Writes all settings of a client, as environment variables.
  func writeSettings(host: String, ports: [Environment: Int]) throws {
    let folder = URL(fileURLWithPath: path).path
    let production = Self.address(host, ports[.production] ?? 0)
    let sandbox = Self.address(host, ports[.sandbox] ?? 0)
    let settings = [
      ("SUBLEDGER_APPLE_KEY_FILE", folder + "/AuthKey.p8"), ("SUBLEDGER_APPLE_KEY_ID", key.id),
      ("SUBLEDGER_APPLE_ISSUER_ID", key.issuerID), ("SUBLEDGER_BUNDLE_ID", app.bundleID),
      ("SUBLEDGER_APP_APPLE_ID", String(app.appAppleID)),
      ("SUBLEDGER_SHARED_SECRET", app.bundleID + "=" + folder + "/shared-secret.txt"),
      ("SUBLEDGER_TRUST", folder + "/root.pem"),
      ("SUBLEDGER_APPLE_API_URL", production), ("SUBLEDGER_APPLE_SANDBOX_API_URL", sandbox),
      ("SUBLEDGER_VERIFY_RECEIPT_URL", production + "/verifyReceipt"),
      ("SUBLEDGER_SANDBOX_VERIFY_RECEIPT_URL", sandbox + "/verifyReceipt"),
    ]
    let text = settings.map { "\($0.0)='\($0.1.replacing("'", with: "'\\''"))'\n" }.joined()
    try OutputFile.write(Data(text.utf8), to: path + "/settings.env", mode: 0o600)
  }

  private struct Row: Encodable {
    let customer: String
    let app_account_token: String?
    let original_transaction_id: String
    let product_id: String
    let environment: String
    let purchased_at: String
    let receipt_data: String
  }

  /// Adds a line about what was bought, with the receipt of the device.
  func append(_ purchase: LocalPurchase, _ receipt: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let row = Row(
      customer: purchase.customer, app_account_token: purchase.appAccountToken,
      original_transaction_id: String(purchase.originalTransactionID), product_id: purchase.productID,
      environment: purchase.environment, purchased_at: purchase.purchasedAt.description,
      receipt_data: receipt)
    let line = try encoder.encode(row) + Data("\n".utf8)
    try purchases.withLock { try $0.write(line) }
  }
}
