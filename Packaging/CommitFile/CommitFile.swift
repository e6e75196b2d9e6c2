import Foundation
import PackagePlugin

/// Writes Commit.swift, which says from which commit the program is built.
///
/// A value of `Context.gitInformation` in Package.swift would do as well, but SwiftPM keeps what it once read there: after
/// the next commit the program would still name the one before. This command has the files of git, and all that the
/// program is made of, as its inputs. So the build system runs it again when one of them changes.
@main
struct CommitFile: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let package = context.package.directoryURL
    let file = context.pluginWorkDirectoryURL.appending(path: "Commit.swift")
    return [
      .buildCommand(
        displayName: "Writing Commit.swift",
        executable: URL(filePath: "/bin/sh"),
        arguments: [
          package.appending(path: "Packaging/CommitFile/write-commit").path(percentEncoded: false),
          package.path(percentEncoded: false), file.path(percentEncoded: false),
        ] + Self.made,
        inputFiles: Self.made.flatMap { Self.files(package.appending(path: $0)) } + Self.history(package),
        outputFiles: [file])
    ]
  }

  /// What the program is made of: a change elsewhere, in a test or a text, does not make the program a modified one.
  static let made = ["Migrations", "Package.swift", "Packaging/CommitFile", "Sources"]

  /// Returns a file, or the files of a folder.
  static func files(_ place: URL) -> [URL] {
    let found = FileManager.default.enumerator(at: place, includingPropertiesForKeys: [.isRegularFileKey])
    let inside = (found?.allObjects as? [URL] ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
    }
    return inside.isEmpty ? [place] : inside
  }

  /// Returns the files of git that a commit or a checkout changes. A source archive has none.
  static func history(_ package: URL) -> [URL] {
    var folder = package.appending(path: ".git")
    // In a second worktree and in a submodule it is a file that names the folder.
    if let text = try? String(contentsOf: folder, encoding: .utf8), text.hasPrefix("gitdir: ") {
      let path = text.dropFirst("gitdir: ".count).trimmingCharacters(in: .whitespacesAndNewlines)
      folder = URL(filePath: path, relativeTo: package)
    }
    return ["HEAD", "logs/HEAD"].map { folder.appending(path: $0) }
      .filter { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }
  }
}
