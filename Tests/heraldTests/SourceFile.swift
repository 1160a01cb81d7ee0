import Foundation

/// A Swift file of this repository.
struct SourceFile {
    /// The path within the repository.
    let path: String
    let text: String

    var lines: Int { text.utf8.count { $0 == UInt8(ascii: "\n") } }

    /// Whether it declares a command. Options and extensions of commands do not count.
    var declaresCommand: Bool { text.contains(/(struct|enum|class) \w+: (Async)?ParsableCommand\b/) }

    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The files of some folders, sorted, without build products.
    static func all(in folders: String...) throws -> [SourceFile] {
        try folders.flatMap { folder -> [SourceFile] in
            let names = FileManager.default.enumerator(atPath: repository.appending(path: folder).path)
            let paths = (names?.compactMap { $0 as? String } ?? []).filter {
                $0.hasSuffix(".swift") && !$0.contains(".build/")
            }
            return try paths.sorted().map { name in
                let path = "\(folder)/\(name)"
                let text = try String(contentsOf: repository.appending(path: path), encoding: .utf8)
                return SourceFile(path: path, text: text)
            }
        }
    }
}
