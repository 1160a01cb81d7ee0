package import FCM

/// What is known about a list that `herald fetch` brought. It is in a file beside the list.
package struct FetchedList: Hashable, Sendable {
    /// Where such lists are, relative to the workspace.
    package static let folder = ".herald/lists"
    private static let format = "herald.fetched/1"

    /// The digest of the `Audience.Origin` that it came from.
    package var origin: String
    /// When the fetch began.
    package var fetched: Date
    package var seconds: Double
    package var rows: Int
    /// SHA-256 of the list.
    package var digest: String

    package init(origin: String, fetched: Date, seconds: Double, rows: Int, digest: String) {
        (self.origin, self.fetched, self.seconds) = (origin, fetched, seconds)
        (self.rows, self.digest) = (rows, digest)
    }

    package var json: JSONValue {
        .object([
            "format": .string(Self.format), "origin": .string(origin), "fetched": .string(fetched.rfc3339),
            "seconds": .double(seconds), "rows": .int(Int64(rows)), "digest": .string("sha256:\(digest)"),
        ])
    }

    /// The path of the file beside a list.
    package static func note(beside list: String) -> String {
        (list.lastIndex(of: ".").map { String(list[..<$0]) } ?? list) + ".json"
    }

    /// Why the list of an audience cannot be what its source says. `nil` if it can, and for lists that are not fetched.
    static func problem(of audience: Audience, at path: String) -> Diagnostic? {
        guard let origin = audience.origin, case .list(let place, _) = audience.source else { return nil }
        let name = audience.name.value
        let help = "run 'herald fetch \(name)'"
        guard RegularFile.kind(of: path) != nil else {
            return .error(
                .fileUnreadable, "the list of audience '\(name)' was never fetched", at: place.range, help: help)
        }
        let bytes = try? RegularFile.bytes(at: note(beside: path), limit: 64 << 10)
        let note = bytes.flatMap { try? JSONValue(parsing: $0) }
        guard note?["format"]?.string == format, note?["origin"]?.string == origin.digest else {
            return .error(
                .fileUnreadable, "the list of audience '\(name)' was fetched from another source", at: place.range,
                help: help)
        }
        return nil
    }
}
