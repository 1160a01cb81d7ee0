/// How full a cap is for one person.
package struct CapStanding: Hashable, Sendable {
    package var cap: FrequencyCap
    /// The messages that count, by their time. One that was sent again counts once.
    package var messages: [Trace.StartPlace]
    /// Until when no other message may start. `nil` if one may.
    package var fullUntil: Date?

    /// - Parameter starts: all that the state has of the person.
    package init(_ cap: FrequencyCap, _ starts: [Trace.StartPlace], at now: Date) {
        self.cap = cap
        messages = starts.filter { $0.start.until > now - cap.per.seconds && cap.isFor($0.start.tags) }
            .sorted { ($0.start.until, $0.occurrence) < ($1.start.until, $1.occurrence) }
        // It has room again when so many of them are old that one more fits.
        let last = messages.count - cap.max
        if last >= 0 { fullUntil = messages[last].start.until + cap.per.seconds }
    }
}
