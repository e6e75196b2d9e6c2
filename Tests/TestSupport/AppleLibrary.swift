import Foundation

/// Apple's own library for servers, `app-store-server-library` in Python.
package enum AppleLibrary {
  /// Python with Apple's library, installed into a folder of its own and kept for the next run; `nil` where there is no
  /// Python, or nothing can be installed.
  package static let python: [String: String]? = {
    let folder = NSTemporaryDirectory() + "/subledger-verifier-3.1.2"
    let isThere = "import sys; sys.path.insert(0, '\(folder)'); import appstoreserverlibrary.signed_data_verifier"
    func run(_ arguments: [String]) -> Bool {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3"] + arguments
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      do { try process.run() } catch { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
    if !run(["-c", isThere]) {
      _ = run([
        "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "20", "--target", folder,
        "app-store-server-library==3.1.2",
      ])
    }
    return run(["-c", isThere]) ? ["PYTHONPATH": folder] : nil
  }()
}
