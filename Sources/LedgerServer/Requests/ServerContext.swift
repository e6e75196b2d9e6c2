internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// What the server knows about one request while it answers it.
struct ServerContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The address of the sender, for limits; `nil` for a connection without one. Behind a trusted proxy it is not that of
  /// the connection.
  var address: NetworkAddress?
  /// The id of the request, in the answer and in the log.
  var requestID = ""
  /// The memory of the request's body.
  var body = BodyBudget(0).part()
  /// What the log states about the request beside its outcome.
  let facts = RequestFacts()

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    address = source.channel.remoteAddress?.ipAddress.flatMap(NetworkAddress.init)
  }
}

/// What the log states about a request. The code that learns it is below the code that logs.
final class RequestFacts: Sendable {
  /// The public id of the token.
  let tokenID = Mutex<String?>(nil)
}
