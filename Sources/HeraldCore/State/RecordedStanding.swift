package import FCM

/// How old a list is that `herald fetch` brought.
package struct KnownList: Hashable, Sendable {
    package var fetched: Date
    /// When what it says was true: earlier than the fetch, where the source tells it.
    package var since: Date

    package init(fetched: Date, since: Date) { (self.fetched, self.since) = (fetched, since) }

    package func age(at now: Date) -> Duration { Self.distance(from: since, to: now) }

    /// How long ago it was fetched.
    package func timeSinceFetch(at now: Date) -> Duration { Self.distance(from: fetched, to: now) }

    /// Only a clock that was fast, or a look at an earlier time, gives a time to come. Nothing is known about how old the
    /// list really is, so that time must not make it young.
    private static func distance(from time: Date, to now: Date) -> Duration {
        .seconds(abs(now.timeIntervalSince(time)).rounded(.down))
    }
}

/// What `herald doctor` found last, without its words.
package struct RecordedCheckup: Hashable, Sendable {
    package var at: Date
    /// The checks that failed, such as `credential`.
    package var errors: [String]
    package var warnings: [String]

    package init(at: Date, errors: [String], warnings: [String]) {
        (self.at, self.errors, self.warnings) = (at, errors, warnings)
    }

    package var json: JSONValue {
        [
            "at": .string(at.rfc3339), "errors": .array(errors.map { .string($0) }),
            "warnings": .array(warnings.map { .string($0) }),
        ]
    }

    /// `nil` for what no herald writes.
    package init?(json: JSONValue) {
        guard let at = json["at"]?.string.flatMap({ Date(rfc3339: $0) }), let errors = Self.checks(json["errors"]),
            let warnings = Self.checks(json["warnings"])
        else { return nil }
        self.init(at: at, errors: errors, warnings: warnings)
    }

    private static func checks(_ json: JSONValue?) -> [String]? {
        guard let all = json?.array, all.count <= 100 else { return nil }
        let names = all.compactMap(\.string).filter { $0.wholeMatch(of: #/[a-z_]{1,40}/#) != nil }
        return names.count == all.count ? names : nil
    }
}
