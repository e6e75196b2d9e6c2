import AppStore
import AppStoreClient
import Configuration
import Foundation
import LedgerServer
import ProgramSupport
import SystemPackage

/// The settings of the server, each with its source: an option, an environment variable, the configuration file or the
/// default, in this order.
struct ServerSettings {
  /// One setting: its name in the configuration file. The environment variable is `SUBLEDGER_` and the name in
  /// capitals.
  enum Key: String, CaseIterable {
    case database, listen, trust, sharedSecret = "shared_secret", bundleID = "bundle_id",
      tlsCertificate = "tls_certificate", tlsKey = "tls_key", connections,
      connectionsPerAddress = "connections_per_address", trustedProxy = "trusted_proxy", wrongTokens = "wrong_tokens",
      quarantinePayloads = "quarantine_payloads", quarantineBytes = "quarantine_bytes", bodyBytes = "body_bytes", drain,
      appleKeyFile = "apple_key_file", appleKeyID = "apple_key_id", appleIssuerID = "apple_issuer_id",
      appleAPIURL = "apple_api_url", appleSandboxAPIURL = "apple_sandbox_api_url",
      verifyReceiptURL = "verify_receipt_url", sandboxVerifyReceiptURL = "sandbox_verify_receipt_url",
      allowPlainHTTP = "allow_plain_http", appleRateLimit = "apple_rate_limit",
      notificationHistory = "notification_history", reconciler

    /// Whether it can have several values.
    var isList: Bool { [.trust, .sharedSecret, .bundleID, .trustedProxy].contains(self) }

    /// The value where nobody states one.
    var standard: [String] {
      switch self {
      case .database: [Defaults.database]
      case .listen: ["127.0.0.1:8080"]
      case .connections: ["1024"]
      case .connectionsPerAddress: ["256"]
      case .wrongTokens: ["10"]
      case .quarantinePayloads: ["10000"]
      case .quarantineBytes: ["32MiB"]
      case .bodyBytes: ["64MiB"]
      case .drain: ["5s"]
      case .appleAPIURL: [AppStoreAddresses.apple.api[.production]].compactMap(\.self)
      case .appleSandboxAPIURL: [AppStoreAddresses.apple.api[.sandbox]].compactMap(\.self)
      case .verifyReceiptURL: [AppStoreAddresses.apple.verifyReceipt[.production]].compactMap(\.self)
      case .sandboxVerifyReceiptURL: [AppStoreAddresses.apple.verifyReceipt[.sandbox]].compactMap(\.self)
      case .allowPlainHTTP: ["false"]
      case .appleRateLimit, .notificationHistory, .reconciler: ["on"]
      default: []
      }
    }

    /// The environment variable that states it.
    var variable: String { "SUBLEDGER_\(rawValue.uppercased())" }
    /// The option of a command line that states it.
    var option: String { "--\(rawValue.replacing("_", with: "-"))" }
  }

  /// The values of a setting, and where they come from.
  struct Setting {
    var values: [String]
    var source: String
  }

  let settings: [Key: Setting]

  /// Reads every setting from its first source.
  /// - Parameters:
  ///   - options: what the command line states.
  ///   - file: the path of a configuration file in JSON.
  ///   - environment: the environment variables.
  /// - Throws: ``InputError`` with the name and the source of the first setting that cannot be used.
  init(options: [Key: [String]], file: String?, environment: [String: String]) async throws {
    var providers: [(source: (Key) -> String, provider: any ConfigProvider)] = [
      ({ $0.option }, Self.provider(options)),
      (
        { $0.variable },
        EnvironmentVariablesProvider(environmentVariables: environment.filter { !$0.value.isEmpty })
          .prefixKeys(with: "subledger")
      ),
    ]
    if let file { providers.append(({ "\(file), $.\($0.rawValue)" }, try await Self.provider(file))) }
    var settings: [Key: Setting] = [:]
    for key in Key.allCases {
      settings[key] = try Self.setting(key, providers) ?? Setting(values: key.standard, source: "default")
    }
    self.settings = settings
  }

  private static func provider(_ options: [Key: [String]]) -> InMemoryProvider {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    for (key, given) in options where !given.isEmpty {
      let content: ConfigContent = key.isList ? .stringArray(given) : .string(given[0])
      values[AbsoluteConfigKey([key.rawValue])] = ConfigValue(content, isSecret: false)
    }
    return InMemoryProvider(name: "options", values: values)
  }

  private static func provider(_ file: String) async throws -> FileProvider<JSONSnapshot> {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw InputError("Cannot read the configuration file \(file). Check the path and its permissions.")
    }
    do {
      // A misspelt name must not become a default.
      let names = Set(Key.allCases.map(\.rawValue))
      if let unknown = try JSONDocument([UInt8](data)).root.keys.first(where: { !names.contains($0) }) {
        throw InputError(
          "\(file) has an unknown setting, $.\(unknown). The settings are \(names.sorted().joined(separator: ", ")).")
      }
      return try await FileProvider<JSONSnapshot>(filePath: FilePath(file))
    } catch let error as JSONError {
      throw InputError("The configuration file \(file) is not JSON: \(error.detail) at \(error.path).")
    }
  }

  private static func setting(
    _ key: Key, _ providers: [(source: (Key) -> String, provider: any ConfigProvider)]
  ) throws -> Setting? {
    for (source, provider) in providers {
      do {
        let found = try provider.value(
          forKey: AbsoluteConfigKey([key.rawValue]), type: key.isList ? .stringArray : .string)
        switch found.value?.content {
        case .stringArray(let values)?: return Setting(values: values, source: source(key))
        case .string(let value)?: return Setting(values: [value], source: source(key))
        default: break
        }
      } catch {
        throw InputError("\(source(key)) must be \(key.isList ? "a list of texts" : "a text").")
      }
    }
    return nil
  }

  // MARK: - Meaning

  subscript(key: Key) -> [String] { settings[key]?.values ?? [] }

  func wrong(_ key: Key, _ advice: String) -> InputError {
    InputError("'\(self[key].joined(separator: ", "))' (\(settings[key]?.source ?? "")) is not usable. \(advice)")
  }

  /// The path of the ledger's file.
  var database: String { self[.database].first ?? Defaults.database }

  /// Returns the settings of a server.
  /// - Throws: ``InputError`` with the name and the source of the first setting that cannot be used.
  func server(version: String, _ log: LogQueue) throws -> LedgerServer.Settings {
    let address = try address()
    var settings = LedgerServer.Settings(
      host: address.host, port: address.port,
      decoder: PayloadDecoder(
        trust: try TrustFiles.store(self[.trust]), sharedSecrets: try TrustFiles.secrets(self[.sharedSecret]),
        bundleIDs: Set(self[.bundleID])))
    settings.connections = (
      all: Int(try number(.connections, 1...100_000)), ofAddress: Int(try number(.connectionsPerAddress, 1...100_000))
    )
    settings.trustedProxies = self[.trustedProxy]
    guard settings.trustedProxies.allSatisfy(LedgerServer.Settings.isAddress) else {
      throw wrong(.trustedProxy, "Write the IP addresses of proxies.")
    }
    settings.wrongTokens = Int(try number(.wrongTokens, 1...1_000_000))
    settings.anonymousQuarantine = (
      payloads: try number(.quarantinePayloads, 0...1_000_000_000), bytes: try bytes(.quarantineBytes, atLeast: 0)
    )
    settings.bodyBytes = Int(try bytes(.bodyBytes, atLeast: 8 << 20))
    guard let drain = DurationText(self[.drain].first ?? "")?.duration, drain <= .seconds(300) else {
      throw wrong(.drain, "Write a number and s or m, such as 5s; at most 5m.")
    }
    (settings.drain, settings.version) = (drain, version)
    settings.droppedLogLines = { log.droppedCount }
    switch (self[.tlsCertificate].first, self[.tlsKey].first) {
    case (nil, nil): break
    case (let certificate?, let key?):
      for (path, name) in [(certificate, Key.tlsCertificate), (key, .tlsKey)]
      where !FileManager.default.isReadableFile(atPath: path) {
        throw wrong(name, "Cannot read this file. Check the path and its permissions.")
      }
      settings.tls = (certificate, key)
    case (nil, _): throw wrong(.tlsKey, "Name the certificate chain too, with tls_certificate.")
    case (_, nil): throw wrong(.tlsCertificate, "Name the key too, with tls_key.")
    }
    settings.apple = try apple()
    return settings
  }

  private func number(_ key: Key, _ range: ClosedRange<Int64>) throws -> Int64 {
    guard let number = Int64(self[key].first ?? ""), range.contains(number) else {
      throw wrong(key, "Write a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  private func bytes(_ key: Key, atLeast least: Int64) throws -> Int64 {
    guard let count = ByteCountText(self[key].first ?? "")?.count, count >= least else {
      throw wrong(key, "Write a number of bytes, such as \(max(least, 1 << 20) >> 20)MiB; at least \(least).")
    }
    return count
  }

  private func address() throws -> ListeningAddress {
    guard let address = ListeningAddress(self[.listen].first ?? "") else {
      throw wrong(.listen, "It is not an address. Write for example 127.0.0.1:8080.")
    }
    return address
  }
}
