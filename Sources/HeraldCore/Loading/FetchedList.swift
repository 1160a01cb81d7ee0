package import FCM

/// What is known about a list that `herald fetch` brought. It is in a file beside the list.
package struct FetchedList: Hashable, Sendable {
    /// Where such lists are, relative to the workspace.
    package static let folder = ".herald/lists"
    private static let format = "herald.fetched/1"

    /// The digest of the `Audience.Origin` that it came from.
    package var origin: String
    /// Where it came from, for people.
    package var place: String
    /// When the fetch began.
    package var fetched: Date
    package var seconds: Double
    package var rows: Int
    /// SHA-256 of the list.
    package var digest: String
    /// What the server calls this version of the list.
    package var version: Version?

    /// Lets a server answer that nothing changed.
    package struct Version: Hashable, Sendable {
        package var tag: String?
        package var modified: String?

        package init(tag: String?, modified: String?) { (self.tag, self.modified) = (tag, modified) }
    }

    package init(
        _ content: Content, from origin: Audience.Origin, fetched: Date, seconds: Double, version: Version? = nil
    ) {
        (self.origin, place, self.fetched, self.seconds) = (origin.digest, origin.place, fetched, seconds)
        (rows, digest, self.version) = (content.rows, content.digest, version)
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "format": .string(Self.format), "origin": .string(origin), "from": .string(place),
            "fetched": .string(fetched.rfc3339), "seconds": .double(seconds), "rows": .int(Int64(rows)),
            "digest": .string(Self.digestPrefix + digest),
        ]
        members["etag"] = version?.tag.map { .string($0) }
        members["modified"] = version?.modified.map { .string($0) }
        return .object(members)
    }

    private static let digestPrefix = "sha256:"

    /// Reads what stands beside a list. `nil` if there is none, or if it makes no sense.
    package init?(beside list: String) {
        let bytes = try? RegularFile.bytes(at: Self.note(beside: list), limit: 64 << 10)
        guard let note = bytes.flatMap({ try? JSONValue(parsing: $0) }), note["format"]?.string == Self.format,
            let origin = note["origin"]?.string, let fetched = note["fetched"]?.string.flatMap({ Date(rfc3339: $0) }),
            let rows = note["rows"]?.int.flatMap({ Int(exactly: $0) }),
            let digest = note["digest"]?.string, digest.hasPrefix(Self.digestPrefix)
        else { return nil }
        (self.origin, self.fetched, self.rows) = (origin, fetched, rows)
        place = note["from"]?.string ?? ""
        seconds = if case .double(let value) = note["seconds"] { value } else { 0 }
        self.digest = String(digest.dropFirst(Self.digestPrefix.count))
        let known = Version(tag: note["etag"]?.string, modified: note["modified"]?.string)
        version = known.tag == nil && known.modified == nil ? nil : known
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
        guard FetchedList(beside: path)?.origin == origin.digest else {
            return .error(
                .fileUnreadable, "the list of audience '\(name)' was fetched from another source", at: place.range,
                help: help)
        }
        return nil
    }
}
