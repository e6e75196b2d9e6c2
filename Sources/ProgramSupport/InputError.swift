/// The reason why something that an option names cannot be used, with what to do next.
package struct InputError: Error, CustomStringConvertible {
  package let description: String
  /// The exit code of a program that ends with this error (sysexits.h): 66 for what cannot be read, 65 for wrong data, 73
  /// for what cannot be written.
  package let exitCode: Int32

  /// Creates an error from its text.
  package init(_ description: String, exitCode: Int32 = 66) {
    (self.description, self.exitCode) = (description, exitCode)
  }
}
