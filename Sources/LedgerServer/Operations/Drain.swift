internal import ServiceLifecycle

/// The time between the wish to stop and the end of listening. A proxy needs it to notice that the server is not ready.
struct Drain: Service {
  let pause: Duration
  let begin: @Sendable () -> Void

  func run() async throws {
    try await gracefulShutdown()
    begin()
    try? await Task.sleep(for: pause)
  }
}
