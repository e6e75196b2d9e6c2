package import HummingbirdCore
package import Logging
package import NIOCore
internal import Synchronization

/// Connections whose value may be dropped. A connection that is accepted while the server stops reaches nobody, and
/// the writer of a `NIOAsyncChannel` that nobody has finished ends the process.
package struct AcceptedConnections<Base: ServerChildChannel>: ServerChildChannel {
  let base: Base

  /// Creates connections of a kind.
  /// - Parameter base: the kind of the connections, for example of HTTP/1.1.
  package init(_ base: Base) { self.base = base }

  /// A connection until it is handled.
  package final class Value: ServerChildChannelValue {
    let value: Base.Value
    private let logger: Logger
    private let base: Base
    private let isHandled = Atomic(false)

    init(_ value: Base.Value, _ base: Base, _ logger: Logger) {
      (self.value, self.base, self.logger) = (value, base, logger)
    }

    /// The channel of the connection.
    package var channel: any Channel { value.channel }

    func handle() async {
      isHandled.store(true, ordering: .relaxed)
      await base.handle(value: value, logger: logger)
    }

    deinit {
      guard !isHandled.load(ordering: .relaxed) else { return }
      // To handle a closed connection finishes its writer, and does nothing else.
      value.channel.close(promise: nil)
      Task { [value, base, logger] in await base.handle(value: value, logger: logger) }
    }
  }

  /// Prepares a connection that was accepted.
  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    base.setup(channel: channel, logger: logger).map { Value($0, base, logger) }
  }

  /// Answers the requests of a connection, until it ends.
  package func handle(value: Value, logger: Logger) async { await value.handle() }
}

extension HTTPServerBuilder {
  /// Returns the builder of a server of HTTP/1.1 without TLS, which may stop in a rush of connections.
  package static func http1OfAcceptedConnections(_ configuration: HTTP1Channel.Configuration = .init())
    -> HTTPServerBuilder
  {
    HTTPServerBuilder { AcceptedConnections(HTTP1Channel(responder: $0, configuration: configuration)) }
  }
}
