extension Plan {
    /// What a send in local time has besides: whose clock reaches the occurrence when.
    package struct Waves: Hashable, Sendable {
        package var local: LocalTime
        /// Whom the occurrence is for so far, by the instant at which their clock reached it.
        package var reached = Partition<Date>()
        /// Those of them whose wave the state does not know yet. From this run on, nobody else is in these waves.
        package var fresh = RecipientSet()
        /// Whether the occurrence itself says until when who is in its waves is fixed, so the campaign's watermark need not
        /// stay before them.
        package var hasOwnMark: Bool { nextMark != nil }
        /// What it says of that once the state knows the unrecorded ones. The watermark may be of a later look by then.
        package var nextMark: Date?
        /// What the state must learn of them.
        package var unrecorded = Partition<Date>()
        /// Those whose clock has not reached it.
        package var ahead = Partition<Date>()
        /// Those of all waves who are sent nothing: they are in a holdout, their row makes no message, or their clock will
        /// leave it out.
        package var unsent = RecipientSet()
        /// The zones of each wave, those with the most people first.
        package var zones: [Date: [String]] = [:]
        /// How many joined the list, or moved, after their wave. They are no part of the occurrence.
        package var joinedLate = 0

        package init(local: LocalTime) { self.local = local }

        /// Those whose clock has not reached it and who are sent it then.
        var coming: Partition<Date> { unsent.isEmpty ? ahead : ahead.mapMembers { $1.subtracting(unsent) } }

        /// Leaves it to a later run to note them.
        mutating func forgetFresh() { (fresh, unrecorded) = ([], Partition()) }
    }

    /// Those whose clocks reach an occurrence in local time at the same instant, as readers see them.
    package struct Wave: Hashable, Sendable {
        package var at: Date
        package var zones: [String]
        package var recipients: Int
        package var state: State
        /// How many of those whose clock has reached it the plan skips, or whose window is closed then and does not wait.
        var skipped = 0
        /// When their window opens, if it is closed when their clock comes to it. `nil` if it is open, or not known.
        var opens: Date?

        /// When the first of them may start.
        var start: Date { opens ?? at }

        package enum State: String, Hashable, Sendable {
            /// Nobody of it is left.
            case done
            case due
            case ahead
        }
    }
}

extension Plan.Send {
    /// Those with a bad row whose wave this run fixes.
    var joiningBad: RecipientSet { leftOut.bad.intersection(waves?.fresh ?? []) }

    /// Those who took part before, and are in a variant that is sent nothing from now on.
    var newlyHeldOut: RecipientSet { leftOut.heldOut.subtracting(waves?.fresh ?? []) }

    /// The waves of an occurrence in local time, in their order. Empty for other sends.
    package var shownWaves: [Plan.Wave] {
        guard let waves else { return [] }
        let reached = waves.reached.states.map { instant in
            let all = waves.reached[instant].subtracting(waves.unsent)
            let rest = all.intersection(members.union(staging?.ahead.all ?? []))
            return Plan.Wave(
                at: instant, zones: waves.zones[instant] ?? [], recipients: rest.isEmpty ? all.count : rest.count,
                state: rest.isEmpty ? .done : .due, skipped: all.intersection(skipped.all).count)
        }
        return (reached + waves.wavesAhead).sorted { $0.at < $1.at }
    }
}

extension Plan.Waves {
    var wavesAhead: [Plan.Wave] {
        let coming = coming
        return ahead.states.sorted().map {
            Plan.Wave(at: $0, zones: zones[$0] ?? [], recipients: coming[$0].count, state: .ahead)
        }
    }
}
