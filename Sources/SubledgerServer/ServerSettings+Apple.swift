import AppStore
import AppStoreClient
import Foundation
import ProgramSupport

/// The settings for requests to Apple.
extension ServerSettings {
  /// Returns the settings of a client for the App Store Server API.
  /// - Throws: ``InputError`` with the name and the source of the first setting that is missing or cannot be used.
  func client() throws -> AppStoreClient.Settings {
    let file = try needed(.appleKeyFile, "Name the file AuthKey_….p8 from App Store Connect.")
    let id = try needed(.appleKeyID, "It is the id of the key in App Store Connect.")
    let issuer = try needed(.appleIssuerID, "It is the issuer id in App Store Connect, a UUID.")
    guard AccountToken.isToken(issuer) else {
      throw wrong(.appleIssuerID, "It is not a UUID. Copy the issuer id from App Store Connect.")
    }
    guard self[.bundleID].count == 1 else {
      throw InputError(
        "Requests to Apple are about one app, and \(self[.bundleID].isEmpty ? "none" : "several") is named. Name it with "
          + Self.names(.bundleID) + ".")
    }
    guard let data = FileManager.default.contents(atPath: file) else {
      throw wrong(.appleKeyFile, "Cannot read this file. Check the path and its permissions.")
    }
    do {
      let key = try AppStoreKey(pem: String(decoding: data, as: UTF8.self), id: id, issuerID: issuer)
      var client = AppStoreClient.Settings(key: key, bundleID: self[.bundleID][0])
      client.addresses = try addresses()
      return client
    } catch let error as AppStoreKey.Wrong {
      throw wrong(.appleKeyFile, "\(error)")
    }
  }

  /// Returns the app's shared secret; `nil` where no file is named.
  /// - Throws: ``InputError`` when the file cannot be read or is empty.
  func appSecret() throws -> AppSecret? {
    guard let file = self[.sharedSecretFile].first else { return nil }
    guard let data = FileManager.default.contents(atPath: file), !data.isEmpty else {
      throw wrong(.sharedSecretFile, "Cannot read this file, or it is empty. Check the path and its permissions.")
    }
    return AppSecret(String(decoding: data, as: UTF8.self))
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
      let advice = error == .withoutTLS ? " Or take the risk with " + Self.names(.allowPlainHTTP) + "." : ""
      throw InputError("\(settings[key]?.source ?? "") is not usable. \(error)\(advice)")
    }
  }

  private func needed(_ key: Key, _ advice: String) throws -> String {
    guard let value = self[key].first, !value.isEmpty else {
      throw InputError("To ask Apple, a setting is missing: \(Self.names(key)). \(advice)")
    }
    return value
  }

  /// Returns the names by which a person states a setting.
  private static func names(_ key: Key) -> String {
    "--\(key.rawValue.replacing("_", with: "-")) or \(key.variable)"
  }
}
