import AppStore
import Crypto
import Foundation

/// The app receipts of devices. They are written from the store's own facts, by code that no decoder shares.
extension ResponseEncoder {
  /// Returns the app receipt of an account's device, as it is when the device refreshes it. It lists what a receipt of
  /// verifyReceipt lists, without anything about renewals.
  /// - Returns: DER.
  func appReceipt(of account: Int, at instant: Instant) throws -> [UInt8] {
    guard let signer = signer?.receipts else { throw MissingSigner() }
    return try signer.sign(attributes(of: account, at: instant), createdAt: instant)
  }

  /// Returns a `latest_receipt`: an app receipt in Base64, or a text without content where nothing is signed.
  func latestReceipt(_ account: Int, at instant: Instant) throws -> String {
    guard signer?.receipts != nil else { return opaqueReceipt(account) }
    return Data(try appReceipt(of: account, at: instant)).base64EncodedString()
  }

  private func opaqueReceipt(_ account: Int) -> String {
    Data([0x30, 0x82, 0x00, 0x3B] + opaqueValue(account) + opaqueValue(account)).base64EncodedString()
  }

  /// Returns the opaque value of an account's device (type 4): the app transaction id, by which verifyReceipt finds the
  /// account, and bytes that depend on it.
  private func opaqueValue(_ account: Int) -> [UInt8] {
    let number = withUnsafeBytes(of: store.accounts[account].appTransactionID.bigEndian) { Array($0) }
    return number + Array(SHA256.hash(data: number)).prefix(8)
  }

  private func attributes(of account: Int, at instant: Instant) -> [UInt8] {
    let owner = store.accounts[account]
    let isProduction = store.rate == .realTime
    let opaque = opaqueValue(account)
    var receipt = ReceiptAttributeWriter()
    receipt.add(0, isProduction ? "Production" : "ProductionSandbox")
    receipt.add(1, isProduction ? catalog.appAppleID : 0)
    receipt.add(2, catalog.bundleID)
    receipt.add(3, Self.bundleVersion)
    receipt.add(4, raw: opaque)
    receipt.add(5, raw: Array(Insecure.SHA1.hash(data: opaque)))
    receipt.add(6, raw: Array(SHA256.hash(data: opaque)))
    receipt.add(8, isProduction ? instant : nil)
    receipt.add(9, 0x5032_3537)
    receipt.add(10, "4+")
    receipt.add(12, instant)
    receipt.add(15, isProduction ? owner.appTransactionID : 0)
    receipt.add(16, isProduction ? 818_322_555 : 0)
    receipt.add(18, owner.downloadedAt)
    receipt.add(19, owner.originalApplicationVersion)
    receipt.add(20, "")
    for transaction in rows(of: account) { receipt.add(17, raw: attributes(of: transaction)) }
    return receipt.set
  }

  private func attributes(of transaction: Transaction) -> [UInt8] {
    let product = catalog.products[transaction.product]
    var row = ReceiptAttributeWriter()
    row.add(1701, transaction.seats?.quantity ?? 1)
    row.add(1702, product.id)
    row.add(1703, String(transaction.id))
    row.add(1704, transaction.purchaseAt)
    row.add(1705, String(transaction.originalID))
    row.add(1706, transaction.originalPurchaseAt)
    row.add(1707, Self.typeNumber(product.type))
    row.add(1708, transaction.expiresAt)
    row.add(1709, "")
    row.add(1710, store.rate == .realTime ? catalog.appAppleID + Int64(transaction.product) + 1 : 0)
    row.add(1711, transaction.webOrderLineItemID ?? 0)
    row.add(1712, transaction.revocation?.at ?? transaction.upgradedAt)
    let isTrial = transaction.offer?.discountType == "FREE_TRIAL"
    row.add(1713, isTrial ? 1 : 0)
    if transaction.expiresAt != nil { row.add(1719, transaction.offer?.type == 1 && !isTrial ? 1 : 0) }
    if let revocation = transaction.revocation { row.add(1720, revocation.reason) }
    // Offers of both kinds stand there with their identifier.
    if let offer = transaction.offer, offer.type > 1, let identifier = offer.identifier { row.add(1721, identifier) }
    row.add(1722, transaction.isShared ? 1 : 0)
    return row.set
  }

  private static func typeNumber(_ type: ProductType) -> Int64 {
    switch type {
    case .nonConsumable: 0
    case .consumable: 1
    case .nonRenewing: 2
    case .autoRenewable: 3
    }
  }
}
