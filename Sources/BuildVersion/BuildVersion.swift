/// What a program answers when it is asked for its version.
package enum BuildVersion {
  /// The only place of the number.
  static let number = "1.0.0"

  /// Returns number and commit; the number alone where the program was built without git.
  package static var text: String {
    guard let commit else { return number }
    return "\(number) (\(commit)\(isModified ? ", modified" : ""))"
  }
}
