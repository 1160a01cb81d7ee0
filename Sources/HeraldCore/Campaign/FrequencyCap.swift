/// How many messages one person may get in a time.
package struct FrequencyCap: Hashable, Sendable {
    /// As plans and reports call it: letters, digits, points, dashes and underscores.
    package var name: String
    /// At least 1.
    package var max: Int
    /// From a minute to 90 days.
    package var per: Duration
    /// It counts the messages of campaigns with any of these tags. `nil`: of all campaigns.
    package var tags: Set<String>?

    package init(name: String, max: Int, per: Duration, tags: Set<String>? = nil) {
        (self.name, self.max, self.per, self.tags) = (name, max, per, tags)
    }

    package static let spans: ClosedRange<Duration> = .seconds(60)...(.seconds(90 * 86_400))

    /// Whether a message with these tags counts for it, and is stopped by it.
    package func isFor(_ tags: some Sequence<String>) -> Bool {
        self.tags.map { tags.contains(where: $0.contains) } ?? true
    }

    /// For people: `3 per 7d of promo`.
    package var words: String {
        let of = tags.map { " of \($0.sorted().joined(separator: ", "))" } ?? ""
        return "\(max) per \(per.written)\(of)"
    }
}

/// What a campaign says about how often people get messages.
package struct Frequency: Hashable, Sendable {
    /// Sorted.
    package var tags: [String] = []
    /// From 0 to 9. Of several that are due, the highest goes first.
    package var priority = usualPriority
    /// Whether no cap stops it.
    package var ignoresCaps = false
    /// Whether its messages count for caps.
    package var counts = true
    /// The caps of the workspace that stop it, in the order of the file.
    package var caps: [FrequencyCap] = []

    package static let usualPriority = 5
}

/// What counts for caps: that messages of an occurrence started in a span of time.
package struct MessageStart: Hashable, Sendable {
    /// The end of the span. The messages count as if they had started then, in whole seconds.
    package var until: Date
    /// Those that the campaign had. Sorted.
    package var tags: [String]

    package init(until: Date, tags: [String]) { (self.until, self.tags) = (until, tags) }
}

/// How the starts of a send are noted.
package struct StartCounting: Hashable, Sendable {
    package var tags: [String]
    /// The length of the spans, in whole seconds. It is how much longer than a cap's `per` a message may count.
    package var span: Int

    package init(tags: [String], span: Int) { (self.tags, self.span) = (tags, span) }

    /// `nil` if nothing counts.
    ///
    /// - Parameter caps: all of the workspace.
    init?(_ frequency: Frequency, _ caps: [FrequencyCap]) {
        guard frequency.counts, let shortest = caps.map(\.per).min() else { return nil }
        self.init(tags: frequency.tags, span: max(60, Int(shortest.seconds / 48)))
    }

    func start(at now: Date) -> MessageStart {
        let end = (now.timeIntervalSince1970 / Double(span)).rounded(.up) * Double(span)
        return MessageStart(until: Date(timeIntervalSince1970: end), tags: tags)
    }
}
