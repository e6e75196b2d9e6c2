import AppStore
import Foundation
import TestSupport
import Testing

@testable import LedgerServer

/// openapi.json describes exactly what the server does.
@Suite(.takesTurns) struct SpecificationTests {
  private struct Operation {
    var id: String
    var description: String
    var query: [String]
    var hasBody: Bool
  }

  private static let methods = ["get", "put", "post", "delete", "patch"]

  /// The operations of the document, by method and path.
  private static func operations() throws -> [String: Operation] {
    let root = try JSONSerialization.jsonObject(with: Data(OperationsAPI.document.utf8)) as? [String: Any] ?? [:]
    let components = root["components"] as? [String: [String: Any]] ?? [:]
    var found: [String: Operation] = [:]
    for (path, item) in root["paths"] as? [String: [String: [String: Any]]] ?? [:] {
      for (method, operation) in item where methods.contains(method) {
        let parameters = (operation["parameters"] as? [[String: Any]] ?? []).map { parameter in
          guard let name = (parameter["$ref"] as? String)?.split(separator: "/").last else { return parameter }
          return components["parameters"]?[String(name)] as? [String: Any] ?? [:]
        }
        found["\(method.uppercased()) \(path)"] = Operation(
          id: operation["operationId"] as? String ?? "", description: operation["description"] as? String ?? "",
          query: parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }.sorted(),
          hasBody: operation["requestBody"] != nil)
      }
    }
    return found
  }

  @Test func `every operation is described with its parameters and scopes, and nothing else is`() async throws {
    var described = try Self.operations()
    for endpoint in try await TokenAuthenticatorTests.endpoints() {
      let name = "\(endpoint.method.rawValue) \(endpoint.path)"
      let found = described.removeValue(forKey: name)
      let operation = try #require(found, "\(name) is not described")
      #expect(operation.id == endpoint.operation && operation.query == endpoint.query.sorted(), "\(name)")
      for scope in endpoint.scopes { #expect(operation.description.contains(scope.rawValue), "\(name)") }
    }
    let open = ["v1", "v2"].flatMap { ["POST /apple/\($0)", "POST /apps/{bundle_id}/apple/\($0)"] }
    #expect(Set(described.keys) == Set(open + ["GET /", "GET /healthz", "GET /readyz"]))
  }

  @Test func `the server serves the document, and every described path answers`() async throws {
    // Only configured apps have an address.
    let bench = try await ServerBench(decoder: PayloadDecoder(bundleIDs: ["x"]))
    let client = try bench.client([.ask])
    #expect(try await client.send("/openapi.json").body == OperationsAPI.document)
    for name in try Self.operations().keys {
      let parts = name.split(separator: " ").map(String.init)
      let path = parts[1].replacing(#/\{\w+\}/#, with: "x")
      #expect(try await client.send(path, parts[0], parts[0] == "GET" ? nil : "{}").status != 404, "\(name)")
      #expect(try await client.send(path, "PATCH", "{}").status == 405, "\(name)")
    }
    #expect(try await client.send("/v1/nothing").status == 404)
    try await bench.stop()
  }
}
