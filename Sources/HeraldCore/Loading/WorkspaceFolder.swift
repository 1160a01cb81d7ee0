#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The folder that holds `herald.yaml`, and which files in it may be read.
package struct WorkspaceFolder: Sendable {
    package static let settingsFile = "herald.yaml"

    /// Absolute, symlinks resolved, without a slash at the end.
    package let path: String

    /// The folder itself, or `nil` when it holds no `herald.yaml`.
    package init?(at path: String) {
        guard FileManager.default.fileExists(atPath: "\(path)/\(Self.settingsFile)") else { return nil }
        self.path = URL(filePath: path).resolvingSymlinksInPath().standardizedFileURL.path.withoutTrailingSlash
    }

    /// The nearest folder from `path` upwards that holds `herald.yaml`.
    package init?(above path: String) {
        var folder = URL(filePath: path).standardizedFileURL.path.withoutTrailingSlash
        while true {
            if let found = WorkspaceFolder(at: folder.isEmpty ? "/" : folder) {
                self = found
                return
            }
            guard let slash = folder.lastIndex(of: "/") else { return nil }
            folder = String(folder[..<slash])
        }
    }

    /// The resource files below it, relative, sorted: those that match a glob, or every YAML file. Dot-folders, what is
    /// ignored, and workspaces inside this one are left out.
    func resourceFiles(matching globs: [Glob], ignoring ignored: [Glob]) -> (files: [String], unreadable: [String]) {
        var files: [String] = []
        var unreadable: [String] = []
        var folders = [""]
        while let folder = folders.popLast() {
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: absolute(folder)) else {
                unreadable.append(folder)
                continue
            }
            if !folder.isEmpty, names.contains(Self.settingsFile) { continue }
            for name in names where !name.hasPrefix(".") {
                let file = folder.isEmpty ? name : "\(folder)/\(name)"
                if ignored.contains(where: { $0.matches(file) }) { continue }
                switch fileType(file) {
                case .typeDirectory where !isYAML(name):
                    folders.append(file)
                default:
                    // A folder or a broken link with a YAML name is somebody's mistake: reading it says so.
                    let isWanted = globs.isEmpty ? isYAML(name) : globs.contains { $0.matches(file) }
                    if isWanted, file != Self.settingsFile { files.append(file) }
                }
            }
        }
        return (files.sorted(), unreadable)
    }

    /// Reads a file of the workspace; `path` is relative to `base` (a folder of the workspace).
    package func read(_ path: String, from base: String = "") -> Result<SourceText, DiagnosticError> {
        let joined = path.hasPrefix("/") ? path : absolute(base.isEmpty ? path : "\(base)/\(path)")
        // `..` is resolved in the text, before symlinks, so that one name is one file.
        let name = joined.withoutDots
        let resolved = URL(filePath: name).resolvingSymlinksInPath().standardizedFileURL.path
        guard resolved == self.path || resolved.hasPrefix(self.path + "/") else {
            return .failure(
                DiagnosticError(
                    .error(
                        .pathOutside, "'\(path)' lies outside the workspace", at: SourceRange(file: path),
                        help: "paths are relative to their file and stay, symlinks resolved, in the workspace")))
        }
        // Errors and digests name the path as the author sees it, normalised.
        let relative = name.hasPrefix(self.path + "/") ? String(name.dropFirst(self.path.count + 1)) : path
        return SourceText.read(resolved, as: relative)
    }

    private func absolute(_ relative: String) -> String { relative.isEmpty ? path : "\(path)/\(relative)" }

    private func fileType(_ file: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: absolute(file)))?[.type] as? FileAttributeType
    }

    private func isYAML(_ name: String) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }
}

extension String {
    fileprivate var withoutTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }

    /// An absolute path without `.`, `..` and repeated slashes.
    fileprivate var withoutDots: String {
        var parts: [Substring] = []
        for part in split(separator: "/") {
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The folder part of a relative path, empty at the top.
    var folder: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "" }
}
