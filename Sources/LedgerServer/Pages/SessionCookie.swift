internal import HTTPTypes
internal import Hummingbird
internal import LedgerService

/// The cookie of a session. Its name makes browsers insist on TLS, on this host and on the whole site.
enum SessionCookie {
  static let name = "__Host-subledger"
  private static let attributes = "Path=/; Secure; HttpOnly; SameSite=Strict"

  /// Returns the secret that a request bears; `nil` for none.
  static func secret(of request: Request) -> SessionSecret? {
    for field in request.headers[values: .cookie] {
      for pair in field.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].filter({ $0 != " " }) == name else { continue }
        return SessionSecret(String(parts[1]))
      }
    }
    return nil
  }

  /// Returns the field that gives a browser the secret.
  static func setting(_ secret: SessionSecret) -> String { "\(name)=\(secret.text); \(attributes)" }

  /// The field with which a browser forgets the secret.
  static let removing = "\(name)=; Max-Age=0; \(attributes)"
}
