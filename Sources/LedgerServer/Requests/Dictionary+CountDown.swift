extension Dictionary where Value == Int {
  /// Counts one less of something. What is not there any more has no entry, so that a table of senders never grows.
  mutating func countDown(_ key: Key) {
    let count = self[key, default: 1] - 1
    self[key] = count > 0 ? count : nil
  }
}
