import AppStore
import Ledger

/// The sentences about a recorded payload.
extension Messages {
  /// Returns what a payload is: `Apple sent DID_RENEW: renewed.`
  package static func payload(_ payload: RecordedPayload) -> String {
    let notification = payload.notification.map { Messages.notification($0.type, $0.subtype) }
    return (notification ?? kind(payload.kind)) + "."
  }

  private static func kind(_ kind: PayloadKind) -> String {
    switch kind {
    case .verifyReceipt: "Apple’s answer to verifyReceipt"
    case .appReceipt: "The app receipt of a device"
    case .transactionReceipt: "A receipt of iOS 6 or earlier, as the device has it"
    case .notificationV1, .notificationV2: "A notification of Apple’s"
    case .subscriptionStatuses: "Apple’s answer about the state of subscriptions"
    case .transactionHistory: "Apple’s answer about the transactions of a customer"
    case .refundHistory: "Apple’s answer about the refunds of a customer"
    case .transactionInfo: "Apple’s answer about one transaction"
    case .orderLookup: "Apple’s answer about an order id"
    case .notificationHistory: "Apple’s list of notifications that it has sent"
    case .testNotificationStatus: "Apple’s answer about a test notification"
    case .appTransactionInfo: "Apple’s answer about the purchase of the app"
    case .apiError: "An error that Apple answered with"
    case .transaction: "A transaction, as the device has it"
    case .renewalInfo: "A renewal info, as the device has it"
    case .appTransaction: "An app transaction, as the device has it"
    case .clientEvent: "A report of the device"
    }
  }

  /// Returns why a payload counts as evidence.
  package static func signature(_ payload: RecordedPayload) -> String {
    switch (payload.trust, payload.root) {
    case (.verified, let root?): "verified: it leads to \(Printable.text(root))"
    case (.verified, nil): "verified"
    case (.unsigned, _): "none: Apple does not sign this format"
    case (.unverified, _): "NOT VERIFIED: somebody accepted it although nobody vouches for it"
    }
  }

  /// Returns when and from where a payload arrived.
  package static func delivery(_ delivery: RecordedPayload.Delivery) -> String {
    "\(instant(delivery.receivedAt)) from \(Printable.text(delivery.origin))"
      + (delivery.sourceLine.map { ", line \($0)" } ?? "")
  }
}
