import Foundation
import PackagePlugin

/// Writes Scripts.swift, which lists the migrations and views of the folder Migrations. So a new file needs no other
/// edit.
@main
struct ScriptList: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let package = context.package.directoryURL
    let folder = package.appending(path: "Migrations")
    let file = context.pluginWorkDirectoryURL.appending(path: "Scripts.swift")
    return [
      .buildCommand(
        displayName: "Writing Scripts.swift",
        executable: URL(filePath: "/bin/sh"),
        arguments: [
          package.appending(path: "Packaging/ScriptList/write-scripts").path(percentEncoded: false),
          folder.path(percentEncoded: false), file.path(percentEncoded: false),
        ],
        inputFiles: [package.appending(path: "Packaging/ScriptList/write-scripts")] + Self.scripts(folder),
        outputFiles: [file])
    ]
  }

  /// Returns the SQL files in a folder and below it.
  static func scripts(_ folder: URL) -> [URL] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
    return files.filter { $0.pathExtension == "sql" }
  }
}
