internal import Hummingbird

/// An error that is answered with a page, because a person asks.
struct PageFault: Error {
  let cause: any Error
  /// Returns the page about a problem.
  let page: @Sendable (HTTPProblem) -> Response
}
