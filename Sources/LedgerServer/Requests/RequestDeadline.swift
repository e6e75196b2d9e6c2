internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Closes a connection whose request takes too long to arrive, and reports each to the table of connections. The
/// server's own timer begins again with every byte, so a sender of one byte a second would keep its connection for ever.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The longest time from the first byte of a head to the last byte of the body.
  private let wholeRequest: TimeAmount
  /// The longest time between two requests.
  private let idle: TimeAmount
  private let connections: ConnectionTable
  private var timer: Scheduled<Void>?
  /// True between the head of a response and its end.
  private var hasBegunAnswer = false

  init(wholeRequest: Duration, idle: Duration, _ connections: ConnectionTable) {
    (self.wholeRequest, self.idle) = (TimeAmount(wholeRequest), TimeAmount(idle))
    self.connections = connections
  }

  private static let reads = FixedSizeRecvByteBufferAllocator(capacity: 4 << 10)

  private var id: ObjectIdentifier { ObjectIdentifier(self) }

  func channelActive(context: ChannelHandlerContext) {
    open(context)
    context.fireChannelActive()
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { open(context) }
  }

  private func open(_ context: ChannelHandlerContext) {
    guard timer == nil else { return }
    start(wholeRequest, context)
    let channel = context.channel
    // Some ten reads of a connection wait in memory until somebody asks for them. By default each has up to 64 KiB.
    try? channel.syncOptions?.setOption(.recvAllocator, value: Self.reads)
    connections.open(id, from: channel.remoteAddress?.ipAddress.flatMap(NetworkAddress.init)) {
      channel.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    connections.close(id)
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      start(wholeRequest, context)
      connections.note(id, .receiving)
    case .body: break
    case .end:
      timer?.cancel()
      connections.note(id, .answering)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head: hasBegunAnswer = true
    case .body: break
    case .end:
      hasBegunAnswer = false
      start(idle, context)
      connections.note(id, .idle)
    }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A chunk that is none, an unknown transfer encoding, a head that is too long: nothing after it can be read.
    if error is HTTPParserError, !hasBegunAnswer {
      let fields: HTTPFields = [.connection: "close", .contentLength: "0"]
      context.write(wrapOutboundOut(.head(HTTPResponse(status: .badRequest, headerFields: fields))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
    context.fireErrorCaught(error)
    context.close(promise: nil)
  }

  private func start(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    timer?.cancel()
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}
