extension Array where Element: Sendable {
  /// Returns the results of a closure for all elements, in their order, made by several tasks at the same time.
  /// - Parameters:
  ///   - width: the number of tasks. Each takes every element of that distance.
  ///   - transform: makes the result of an element.
  func concurrentMap<Output: Sendable>(
    width: Int, _ transform: @escaping @Sendable (Element) async -> Output
  ) async -> [Output] {
    let width = Swift.max(1, Swift.min(width, count))
    return await withTaskGroup(of: [(Int, Output)].self) { group in
      for lane in 0..<width {
        group.addTask {
          var outputs: [(Int, Output)] = []
          for index in stride(from: lane, to: count, by: width) {
            outputs.append((index, await transform(self[index])))
          }
          return outputs
        }
      }
      var all: [(Int, Output)] = []
      for await part in group { all += part }
      return all.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
