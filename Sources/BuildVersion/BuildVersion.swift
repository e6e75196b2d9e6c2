/// The version that a program prints on request.
package enum BuildVersion {
  /// The version number. No other file states it.
  package static let number = "1.0.0"

  /// The number and the commit; the number alone where the program was built without git.
  package static var text: String {
    guard let commit else { return number }
    return "\(number) (\(commit)\(isModified ? ", modified" : ""))"
  }
}
