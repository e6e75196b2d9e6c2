package import AppStore
internal import Foundation
package import Ledger

/// The addresses of pages. Each state of a page has one, without secrets.
package enum PageAddress {
  /// Returns an address of a path with a query.
  package static func of(_ path: String, _ query: [(name: String, value: String)] = []) -> String {
    query.isEmpty ? path : path + "?" + self.query(query)
  }

  /// Returns fields as an address or a form has them.
  static func query(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
  }

  /// The address of a customer's page.
  package static func person(_ customer: String, _ query: [(name: String, value: String)] = []) -> String {
    of("/people/\(encoded(customer))", query)
  }

  /// The address of a customer's page at the instants of a query.
  package static func person(_ customer: String, _ parameters: QueryParameters) -> String {
    person(customer, [("as_of", parameters.asOf.description), ("known_at", parameters.knownAt.description)])
  }

  /// The address of the form of a grant.
  package static func grant(_ customer: String) -> String { person(customer) + "/grant" }

  /// The address that makes a grant.
  package static func grants(_ customer: String) -> String { person(customer) + "/grants" }

  /// The address of the form that ends the grants of an entitlement.
  package static func endGrant(_ customer: String, _ entitlement: String) -> String {
    person(customer) + "/grants/\(encoded(entitlement))/end"
  }

  /// The address that adds a note.
  package static func notes(_ customer: String) -> String { person(customer) + "/notes" }

  /// The address of the form that links a purchase.
  package static func link(_ customer: String) -> String { person(customer) + "/link" }

  /// The address that links a purchase.
  package static func links(_ customer: String) -> String { person(customer) + "/links" }

  /// The address of the form that ends a link.
  package static func unlink(_ customer: String, _ identifier: String) -> String {
    person(customer) + "/links/\(encoded(identifier))/unlink"
  }

  /// The address of the form that erases a person.
  package static func forget(_ customer: String) -> String { person(customer) + "/forget" }

  /// The address of a search.
  package static func search(_ text: String) -> String { of("/search", [("q", text)]) }

  /// The address of the page that compares two instants of a customer.
  static func compare(_ customer: String, _ query: [(name: String, value: String)] = []) -> String {
    of(person(customer) + "/compare", query)
  }

  /// The address of the page that compares two instants of a customer.
  static func compare(_ customer: String, _ first: QueryParameters, _ second: QueryParameters) -> String {
    compare(
      customer,
      [
        ("as_of", first.asOf.description), ("known_at", first.knownAt.description),
        ("other_as_of", second.asOf.description), ("other_known_at", second.knownAt.description),
      ])
  }

  /// The address of a purchase's page, by its original transaction id.
  package static func purchase(_ id: String, _ query: [(name: String, value: String)] = []) -> String {
    of("/purchases/\(encoded(id))", query)
  }

  /// The address of the explanation of a purchase's state.
  package static func why(_ id: String, _ query: [(name: String, value: String)] = []) -> String {
    of("/purchases/\(encoded(id))/why", query)
  }

  /// The address of a payload's page.
  package static func payload(_ digest: ContentDigest) -> String { "/payloads/\(digest.hexadecimal)" }

  /// The address of a payload's text.
  package static func payloadText(_ digest: ContentDigest) -> String { payload(digest) + "/text" }

  /// The address of the access log.
  package static func accessLog(_ query: [(name: String, value: String)] = []) -> String { of("/access-log", query) }

  /// The address of entries of the access log as a file.
  package static func accessLogExport(_ query: [(name: String, value: String)]) -> String {
    of("/access-log/export", query)
  }

  /// The address of all reports.
  package static func reports(_ query: [(name: String, value: String)] = []) -> String { of("/reports", query) }

  /// The address of the report of a metric.
  package static func report(_ metric: String, _ query: [(name: String, value: String)] = []) -> String {
    of("/reports/\(encoded(metric))", query)
  }

  /// The address of the report of a metric as CSV.
  package static func reportCSV(_ metric: String, _ query: [(name: String, value: String)]) -> String {
    of("/reports/\(encoded(metric))/csv", query)
  }

  /// The address of the requests for a refund.
  package static let refunds = "/refunds"

  /// The address of the form that answers Apple about a refund.
  package static func refundAnswer(_ id: String) -> String { purchase(id) + "/refund-answer" }

  /// The address of the form that extends a subscription.
  package static func renewalExtension(_ id: String) -> String { purchase(id) + "/extension" }

  /// The address of the form that sets the account token of a purchase.
  package static func accountToken(_ id: String) -> String { purchase(id) + "/account-token" }

  /// The address of the page about the ledger and its server.
  package static let health = "/health"

  private static let plain = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}
