import Foundation

/// A text kept in a file beside a test, to be read in review. `RECORD=1` writes it anew.
package struct Golden {
    private let path: String

    /// - Parameter test: the file of the test; the texts are in `Golden/` beside it.
    package init(_ name: String, beside test: String = #filePath) {
        let folder = (test as NSString).deletingLastPathComponent
        // Without the dots: where a test keeps nothing, it has no such folder.
        path = ("\(folder)/Golden/\(name)" as NSString).standardizingPath
    }

    /// The kept text; with `RECORD=1` the given one, which is kept from then on.
    package func text(recording text: String) throws -> String {
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            let folder = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: path))
        }
        return try String(contentsOfFile: path, encoding: .utf8)
    }
}
