import AppStore
import Foundation

/// Reads certificates and secrets, which options name as files.
package enum TrustFiles {
  /// Returns Apple's root, with the roots in files.
  /// - Throws: ``InputError`` with the name of the first file that cannot be used.
  package static func store(_ paths: [String]) throws -> TrustStore {
    guard !paths.isEmpty else { return .apple }
    var files: [[UInt8]] = []
    for path in paths {
      let data = try contents(path, "the certificate file")
      do { _ = try TrustStore(trusting: [data]) } catch {
        throw InputError("This is not a certificate in DER or PEM: \(path). Name another file.")
      }
      files.append(data)
    }
    return try TrustStore(trusting: files)
  }

  /// Returns the shared secrets of apps: texts of a bundle id, `=` and the name of a file.
  ///
  /// Secrets come from files, because every user can read the arguments in the list of processes.
  /// - Throws: ``InputError`` with the first text or file that cannot be used.
  package static func secrets(_ texts: [String]) throws -> [SharedSecret] {
    try secretTexts(texts).map { SharedSecret($0.text, of: $0.bundleID) }
  }

  /// Reads the shared secrets of apps as they stand in their files.
  package static func secretTexts(_ texts: [String]) throws -> [(bundleID: String, text: String)] {
    try texts.map { text in
      guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
        throw InputError(
          "'\(text)' does not state whose shared secret it is. Write the app's bundle id, = and the file, such as "
            + "com.example.app=secret.txt.")
      }
      let secret = try contents(String(text[text.index(after: sign)...]), "a shared secret from")
      return (String(text[..<sign]), String(decoding: secret, as: UTF8.self))
    }
  }

  private static func contents(_ path: String, _ what: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path), !data.isEmpty else {
      throw InputError("Cannot read \(what) \(path). Check the path, its permissions, and that the file is not empty.")
    }
    return [UInt8](data)
  }
}
