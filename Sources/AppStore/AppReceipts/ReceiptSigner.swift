internal import X509

/// Finds the certificates of a receipt's signer.
enum ReceiptSigner {
  /// Returns the certificate that the signature names, and those that may have issued it.
  ///
  /// The receipt names the signer by its issuer and serial number, which are compared as bytes. Other certificates in the
  /// receipt have no effect.
  static func certificates(
    of container: SignedContainer
  ) throws(SignatureError) -> (leaf: Certificate, intermediates: [Certificate]) {
    guard let der = container.certificates.first(where: { isNamed($0, by: container.signer) }) else {
      throw .missingSigner
    }
    guard let leaf = try? Certificate(derEncoded: der) else { throw .malformedCertificate }
    // A certificate that cannot be read makes the container another one for other readers.
    guard let certificates = try? container.certificates.map({ try Certificate(derEncoded: $0) }) else {
      throw .malformedCertificate
    }
    return (leaf, issuers(of: leaf, among: certificates))
  }

  /// Returns the certificates that issued a leaf. If none did, returns those with the issuer's name, so that the reason of
  /// the refusal is the right one.
  static func issuers(of leaf: Certificate, among certificates: [Certificate]) -> [Certificate] {
    let named = certificates.filter { $0.subject == leaf.issuer }
    let issuers = named.filter { CertificateChain.issued(leaf, by: $0) }
    return issuers.isEmpty ? named : issuers
  }

  private static func isNamed(
    _ certificate: [UInt8], by signer: (issuer: [UInt8], serialNumber: [UInt8])
  ) -> Bool {
    let certificate = certificate[...]
    var whole = BERReader(certificate)
    guard let outer = try? whole.next(BERReader.Tag.sequence) else { return false }
    var list = BERReader(certificate, inside: outer)
    guard let inner = try? list.next(BERReader.Tag.sequence) else { return false }
    var fields = BERReader(certificate, inside: inner)
    // The version is explicit. Certificates of the first version have none.
    _ = try? fields.nextIfAny(BERReader.Tag.context0)
    guard let serialNumber = try? fields.next(BERReader.Tag.integer),
      (try? fields.next(BERReader.Tag.sequence)) != nil, let issuer = try? fields.next(BERReader.Tag.sequence)
    else { return false }
    return certificate[serialNumber.content].elementsEqual(signer.serialNumber)
      && certificate[issuer.range].elementsEqual(signer.issuer)
  }
}
