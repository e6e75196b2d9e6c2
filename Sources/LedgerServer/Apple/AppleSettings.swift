public import AppStoreClient

extension LedgerServer {
  /// How a server asks Apple.
  public struct AppleSettings: Sendable {
    /// An app that is asked about.
    public struct App: Sendable {
      /// The key, the app and the addresses.
      public var client: AppStoreClient.Settings
      /// The app's shared secret, for receipts; `nil` where there is none.
      public var sharedSecret: AppSecret?

      /// Creates an app from its settings.
      public init(client: AppStoreClient.Settings, sharedSecret: AppSecret? = nil) {
        (self.client, self.sharedSecret) = (client, sharedSecret)
      }
    }

    /// The apps that are asked about.
    public var apps: [App]
    /// Whether the server walks Apple's history of notifications, for those that it missed.
    public var walksHistory = true
    /// Whether the server asks about doubts of the ledger.
    public var reconciles = true
    /// How long the server pauses before it looks again whether something is due. A test has less time.
    package var pause = Duration.seconds(1)

    /// Creates settings that do everything.
    public init(apps: [App]) { self.apps = apps }
  }
}
