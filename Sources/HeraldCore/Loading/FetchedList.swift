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
    /// When the data were loaded into the database, if it was asked.
    package var loaded: Date?
    /// The moment that it shares with other lists of its database.
    package var moment: Moment?
    /// The columns that the files named when it came. `nil` if an older herald fetched it.
    package var columns: Set<String>?
    /// The numbers of rows of the last fetches from the same source, the newest last.
    package private(set) var history: [Int]
    /// So many are kept.
    private static let longestHistory = 7

    /// What lists show that were fetched together.
    package struct Moment: Hashable, Sendable {
        package var id: String
        /// The audiences of all of them.
        package var lists: [String]

        package init(id: String, lists: [String]) { (self.id, self.lists) = (id, lists) }
    }

    package init(
        _ content: Content, from origin: Audience.Origin, after last: FetchedList?, fetched: Date, seconds: Double,
        version: Version? = nil, loaded: Date? = nil
    ) {
        (self.origin, place, self.fetched, self.seconds) = (origin.digest, origin.place, fetched, seconds)
        (rows, digest, self.version, self.loaded) = (content.rows, content.digest, version, loaded)
        columns = content.columns
        let before = last?.origin == origin.digest ? last?.history ?? [] : []
        history = Array((before + [content.rows]).suffix(Self.longestHistory))
    }

    /// Its times, for those who must not have the list.
    package var known: KnownList { KnownList(fetched: fetched, since: min(loaded ?? fetched, fetched)) }

    /// How old what it says is.
    package func age(at now: Date) -> Duration { known.age(at: now) }

    /// The usual number of rows, if `rows` differ from it by more than so many percent.
    package func median(refusing rows: Int, percent: Int) -> Int? {
        guard !history.isEmpty else { return nil }
        let sorted = history.sorted()
        let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        return abs(rows - median) * 100 > percent * median ? median : nil
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "format": .string(Self.format), "origin": .string(origin), "from": .string(place),
            "fetched": .string(fetched.rfc3339), "seconds": .double(seconds), "rows": .int(Int64(rows)),
            "digest": .string(Self.digestPrefix + digest),
        ]
        members["history"] = .array(history.map { .int(Int64($0)) })
        members["columns"] = columns.map { .array($0.sorted().map { .string($0) }) }
        members["loaded"] = loaded.map { .string($0.rfc3339) }
        members["moment"] = moment.map { .string($0.id) }
        members["with"] = moment.map { .array($0.lists.map { .string($0) }) }
        members.merge(version?.members ?? [:]) { $1 }
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
        columns = note["columns"]?.array.map { Set($0.compactMap(\.string)) }
        loaded = note["loaded"]?.string.flatMap { Date(rfc3339: $0) }
        history = (note["history"]?.array ?? []).compactMap { $0.int.flatMap { Int(exactly: $0) } }
            .filter { (1...1 << 40).contains($0) }.suffix(Self.longestHistory)
        moment = note["moment"]?.string.map { id in
            Moment(id: id, lists: (note["with"]?.array ?? []).compactMap(\.string))
        }
        version = Version(in: note)
    }

    /// The file that names lists while they take the places of the last ones.
    package static let pending = ".pending"

    /// What is in it.
    ///
    /// - Parameter names: of the lists' files.
    package static func pending(_ names: [String]) -> String { JSONValue.array(names.map { .string($0) }).compactText }

    /// The names of lists that should have taken their places. `nil` if there is no such file.
    package static func pending(in folder: String) -> [String]? {
        let path = "\(folder)/\(pending)"
        guard RegularFile.kind(of: path) != nil else { return nil }
        let text = try? JSONValue(parsing: RegularFile.bytes(at: path, limit: 1 << 20))
        return (text?.array ?? []).compactMap(\.string).filter { !$0.contains("/") && !$0.hasPrefix(".") }
    }

    /// The path of the file beside a list.
    package static func note(beside list: String) -> String {
        (list.lastIndex(of: ".").map { String(list[..<$0]) } ?? list) + ".json"
    }

    /// The list of an audience, or why it cannot be what its source says. Neither for lists that are not fetched.
    static func look(for audience: Audience, at path: String) -> Result<FetchedList?, DiagnosticError> {
        guard let origin = audience.origin, case .list(let place, _) = audience.source else { return .success(nil) }
        let name = audience.name.value
        let help = "run 'herald fetch \(name)'"
        guard RegularFile.kind(of: path) != nil else {
            return .failure(
                DiagnosticError(
                    .error(
                        .fileUnreadable, "the list of audience '\(name)' was never fetched", at: place.range, help: help
                    )
                ))
        }
        guard let list = FetchedList(beside: path), list.origin == origin.digest else {
            return .failure(
                DiagnosticError(
                    .error(
                        .fileUnreadable, "the list of audience '\(name)' was fetched from another source",
                        at: place.range, help: help)))
        }
        return .success(list)
    }

    /// Lists that were fetched together and do not fit together any more, because a fetch was cut off or is under way.
    ///
    /// - Parameter lists: by audience.
    static func parted(_ lists: [String: FetchedList]) -> Set<String> {
        var parted: Set<String> = []
        for (name, list) in lists {
            for other in list.moment?.lists ?? [] {
                // A list that was fetched alone since is what a person wanted.
                guard let moment = lists[other]?.moment, moment.lists.contains(name), moment.id != list.moment?.id
                else { continue }
                parted.formUnion([name, other])
            }
        }
        return parted
    }

    /// Warns of a list that is older than its source says it may be.
    func warning(of audience: Audience, at now: Date) -> Diagnostic? {
        guard let freshness = audience.origin?.freshness, case .list(let place, _) = audience.source,
            let limit = [freshness.warnAfter, freshness.errorAfter].compactMap({ $0 }).min(), age(at: now) > limit
        else { return nil }
        let name = audience.name.value
        return .warning(
            .staleList, "the list of audience '\(name)' is \(age(at: now).rounded) old; the limit is \(limit.written)",
            at: place.range, help: "run 'herald fetch \(name)'")
    }
}

extension String {
    /// What to add about a list at this path that lacks a column. Empty if nobody fetches it.
    var fetchAdvice: String {
        // Below the folder of an audience's file, it begins with dots.
        guard let begin = firstRange(of: "\(FetchedList.folder)/")?.upperBound, let ending = lastIndex(of: "."),
            begin < ending
        else { return "" }
        return "; if the source has it by now, run 'herald fetch \(self[begin..<ending])'"
    }
}

extension Duration {
    /// For people: in whole minutes, hours or days.
    package var rounded: String {
        let seconds = components.seconds
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}
