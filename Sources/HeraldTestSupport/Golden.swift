import Foundation

/// A text kept in a file beside a test, so that it can be read in review. `RECORD=1` writes it anew.
package struct Golden {
    private let path: String

    /// - Parameter test: The test's file; the texts are in `Golden/` beside it.
    package init(_ name: String, beside test: String = #filePath) {
        let folder = (test as NSString).deletingLastPathComponent
        // Standardized, since a path through `..` fails if a test has no folder for its texts.
        path = ("\(folder)/Golden/\(name)" as NSString).standardizingPath
    }

    /// The kept text. With `RECORD=1`, the given text, which is then kept.
    package func text(recording text: String) throws -> String {
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            let folder = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: path))
        }
        return try String(contentsOfFile: path, encoding: .utf8)
    }
}
