import AppStoreSimulator
import Foundation

/// Keeps the test authority in a folder: `root.pem` to trust; `chain.pem` and `key.pem` to sign JWS with; and
/// `receipt-chain.pem` and `receipt-key.pem` to sign app receipts with.
package struct AuthorityKeeper {
  package let folder: String

  /// Creates a keeper for a folder.
  package init(folder: String) { self.folder = folder }

  /// The path of the root certificate.
  package var rootPath: String { folder + "/root.pem" }

  /// Returns the authority in the folder, or creates one.
  /// - Throws: ``InputError`` if the authority cannot be read or written.
  package func authority() throws -> CertificateAuthority {
    let manager = FileManager.default
    // An authority that cannot be read is not replaced: somebody may still trust it.
    if ["chain.pem", "key.pem"].allSatisfy({ manager.fileExists(atPath: folder + "/" + $0) }) {
      func chain(_ kind: String) throws -> CertificateAuthority.Chain {
        func text(_ name: String) throws -> String {
          try String(contentsOfFile: folder + "/" + kind + name + ".pem", encoding: .utf8)
        }
        return try CertificateAuthority.Chain(certificates: text("chain"), key: text("key"))
      }
      do { return try CertificateAuthority(chain: chain(""), receiptChain: chain("receipt-")) } catch {
        throw InputError("Cannot read the test authority in \(folder). Name another folder.")
      }
    }
    let made = try CertificateAuthority()
    do {
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for (name, text, mode) in [
        ("receipt-key.pem", made.receiptChain.key, 0o600),
        ("receipt-chain.pem", made.receiptChain.certificates, 0o644), ("key.pem", made.chain.key, 0o600),
        ("chain.pem", made.chain.certificates, 0o644), ("root.pem", made.root, 0o644),
      ] as [(String, String, mode_t)] {
        try OutputFile.write(Data(text.utf8), to: folder + "/" + name, mode: mode)
      }
    } catch let refused as InputError {
      throw refused
    } catch {
      throw InputError("Cannot write the test authority to \(folder). Name another folder.", exitCode: 73)
    }
    return made
  }
}
