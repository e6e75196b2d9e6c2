internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

/// Connections whose value may be dropped. A connection that is accepted while the server stops reaches nobody, and
/// the writer of a `NIOAsyncChannel` that nobody has finished ends the process.
struct AcceptedConnections<Base: ServerChildChannel>: ServerChildChannel {
  let base: Base

  /// A connection until it is handled.
  final class Value: ServerChildChannelValue {
    let value: Base.Value
    private let logger: Logger
    private let base: Base
    private let isHandled = Atomic(false)

    init(_ value: Base.Value, _ base: Base, _ logger: Logger) {
      (self.value, self.base, self.logger) = (value, base, logger)
    }

    var channel: any Channel { value.channel }

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

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    base.setup(channel: channel, logger: logger).map { Value($0, base, logger) }
  }

  func handle(value: Value, logger: Logger) async { await value.handle() }
}
