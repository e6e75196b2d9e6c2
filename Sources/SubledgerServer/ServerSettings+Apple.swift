import AppStore
import AppStoreClient
import Foundation
import LedgerServer
import ProgramSupport

/// The settings for requests to Apple.
extension ServerSettings {
  /// Returns how a server asks Apple; `nil` where no key is named.
  /// - Throws: ``InputError`` with the name and the source of the first setting that is missing or cannot be used.
  func apple() throws -> LedgerServer.AppleSettings? {
    guard let file = self[.appleKeyFile].first, !file.isEmpty else { return nil }
    guard !self[.bundleID].isEmpty else {
      throw InputError(
        "Requests to Apple are about an app, and none is named. Name it with " + Key.bundleID.names + ".")
    }
    var apple = LedgerServer.AppleSettings(
      apps: try self[.bundleID].map { .init(client: try client(of: $0), sharedSecret: try appSecret(of: $0)) })
    (apple.walksHistory, apple.reconciles) = (try isOn(.notificationHistory), try isOn(.reconciler))
    return apple
  }

  /// Returns the settings of a client for the one app that is named.
  /// - Throws: ``InputError`` with the name and the source of the first setting that is missing or cannot be used.
  func client() throws -> AppStoreClient.Settings {
    guard self[.bundleID].count == 1 else {
      throw InputError(
        "Requests to Apple are about one app, and \(self[.bundleID].isEmpty ? "none" : "several") is named. Name it with "
          + Key.bundleID.names + ".")
    }
    return try client(of: self[.bundleID][0])
  }

  private func client(of bundleID: String) throws -> AppStoreClient.Settings {
    let needed: [Key] = [.appleKeyFile, .appleKeyID, .appleIssuerID]
    let missing = needed.filter { self[$0].first?.isEmpty ?? true }
    guard missing.isEmpty else {
      throw InputError(
        "To ask Apple, \(missing.count == 1 ? "a setting is missing" : "settings are missing"): "
          + missing.map(\.names).joined(separator: "; ")
          + ". App Store Connect has the key, its id and the issuer id, under In-App Purchase of Integrations.")
    }
    let (file, id, issuer) = (self[.appleKeyFile][0], self[.appleKeyID][0], self[.appleIssuerID][0])
    guard AccountToken.isToken(issuer) else {
      throw wrong(.appleIssuerID, "It is not a UUID. Copy the issuer id from App Store Connect.")
    }
    guard let data = FileManager.default.contents(atPath: file) else {
      throw wrong(.appleKeyFile, "Cannot read this file. Check the path and its permissions.")
    }
    do {
      let key = try AppStoreKey(pem: String(decoding: data, as: UTF8.self), id: id, issuerID: issuer)
      var client = AppStoreClient.Settings(key: key, bundleID: bundleID)
      client.addresses = try addresses()
      client.limitsRate = try isOn(.appleRateLimit)
      return client
    } catch let error as AppStoreKey.Wrong {
      throw wrong(.appleKeyFile, "\(error)")
    }
  }

  /// Returns the shared secret of an app; `nil` where no file is named.
  /// - Throws: ``InputError`` when a file cannot be read or is empty.
  func appSecret(of bundleID: String) throws -> AppSecret? {
    try TrustFiles.secretTexts(self[.sharedSecret]).first { $0.bundleID == bundleID }.map { AppSecret($0.text) }
  }

  private func isOn(_ key: Key) throws -> Bool {
    switch self[key].first {
    case "on": true
    case "off": false
    default: throw wrong(key, "Write on or off.")
    }
  }

  private func addresses() throws -> AppStoreAddresses {
    AppStoreAddresses(
      api: [.production: try address(.appleAPIURL), .sandbox: try address(.appleSandboxAPIURL)],
      verifyReceipt: [
        .production: try address(.verifyReceiptURL), .sandbox: try address(.sandboxVerifyReceiptURL),
      ])
  }

  private func address(_ key: Key) throws -> String {
    guard let allows = Bool(self[.allowPlainHTTP].first ?? "false") else {
      throw wrong(.allowPlainHTTP, "Write true or false.")
    }
    do {
      return try AppStoreAddresses.checked(self[key].first ?? "", allowingPlainHTTP: allows)
    } catch {
      // An address may have a password in it, so it is not repeated.
      let advice = error == .withoutTLS ? " Or take the risk with " + Key.allowPlainHTTP.names + "." : ""
      throw InputError("\(settings[key]?.source ?? "") is not usable. \(error)\(advice)")
    }
  }
}

extension ServerSettings.Key {
  /// The names by which a person states the setting.
  fileprivate var names: String { "\(option) or \(variable)" }
}
