import Foundation

/// The Swift files below one folder of `Sources`.
struct SourceFolder {
    let name: String
    let files: [SourceFile]

    /// - Parameter path: relative to the repository.
    init(_ path: String, module: String) throws {
        let root = Self.repository.appending(path: path)
        name = root.lastPathComponent
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path()).filter { $0.hasSuffix(".swift") }
        files = try paths.sorted().map { file in
            SourceFile(name: "\(path)/\(file)", text: try Self.text(of: "\(path)/\(file)"), module: module)
        }
    }

    init(name: String, files: [SourceFile]) { (self.name, self.files) = (name, files) }

    /// The folders inside a folder of the repository, by name.
    static func inside(_ path: String) throws -> [String] {
        let root = repository.appending(path: path)
        return try FileManager.default.contentsOfDirectory(atPath: root.path()).filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: root.appending(path: name).path(), isDirectory: &isFolder)
                && isFolder.boolValue
        }.sorted()
    }

    static func text(of path: String) throws -> String {
        try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }

    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
