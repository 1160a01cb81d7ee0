/// Why a campaign cannot be set back.
package enum RewindProblem: Error, Hashable, Sendable {
    /// The state has nothing of that campaign.
    case unknown
    /// No fast clock changed anything of it. The time is that of its watermark, if it has one.
    case notAhead(Date?)
}

extension RecordedState {
    /// Sets back to now what a run with a fast clock left in the future: the watermark, where there is one, and how its
    /// occurrences ended. What that run sent is not sent again: an occurrence is known by its time. What it ended with nobody
    /// tried is forgotten, so that it can come due, and open again if it was due by now. In local time that is for who is in
    /// the waves until now, and waves after now are not fixed any more. Of one that others got, whoever it left out in those
    /// waves is not tried yet. For caps, no message of any campaign counts as started after now, and messages count since now
    /// at the latest.
    ///
    /// A snapshot lacks the waves and skips of what has ended: `endedAhead` names the occurrences to read besides.
    package func changes(rewinding campaign: String, to now: Date) throws(RewindProblem) -> [StateChange] {
        let own = occurrences.filter { $0.value.campaign == campaign }
        let mark = watermarks[campaign]
        guard mark != nil || !own.isEmpty else { throw .unknown }
        let ahead = mark.flatMap { $0.at > now ? $0 : nil }
        let isLeft = own.contains { $1.wasPassed(after: now) || start(of: $0, after: now) != nil }
        guard ahead != nil || isLeft else { throw .notAhead(mark?.at) }
        let ended = own.filter { _, occurrence in
            occurrence.wasPassed(after: now)
                || occurrence.finished == nil && !occurrence.hasTried && occurrence.waves.states.contains { $0 > now }
        }
        let unseen = own.filter { id, occurrence in
            ended[id] == nil && occurrence.unseen.map { $0 > now } == true
        }
        // The messages of each campaign count for the caps of all.
        let early = starts.mapValues { $0.without { $0.until <= now }.started(by: now) }.filter { !$0.value.isEmpty }
        let tried = own.filter(\.value.hasTried)
        var told = told
        told.rewind { id in
            ended[id] != nil || id.campaign == campaign && id.lastInstant.map { $0 > now } == true
        }
        // Nobody can tell any more when the old schedule would have fired next.
        let back = ahead.map { mark in
            Watermark(at: now, schedule: mark.schedule, next: nil, first: mark.first.map { min($0, now) })
        }
        var marks: [StateChange] = back.map { [.watermark(campaign, $0)] } ?? []
        if let countingSince, countingSince > now { marks.append(.counting(since: now)) }
        return marks
            + early.keys.sorted().flatMap { id in early[id]?.noted(of: id) ?? [] }
            + unseen.keys.sorted().map { .unseen($0, since: now) }
            + ended.sorted { $0.key < $1.key }.flatMap { id, occurrence in
                occurrence.beginningAnew(as: id, starts[id]?.started(by: now) ?? Partition(), at: now)
            }
            + tried.sorted { $0.key < $1.key }.flatMap { $1.returningWaves(of: $0, at: now) }
            + (told == self.told ? [] : [.told(told)])
    }

    /// When messages of an occurrence count for caps as started, if that is later than now because a clock that was fast sent
    /// them.
    func start(of id: OccurrenceID, after now: Date) -> Date? {
        guard let occurrence = occurrences[id],
            [occurrence.begun, occurrence.finished].compactMap(\.self).contains(where: { $0 > now })
        else { return nil }
        return starts[id]?.states.map(\.until).filter { $0 > now }.max()
    }

    /// The campaigns that runs have worked on.
    package var knownCampaigns: Set<String> { Set(occurrences.values.map(\.campaign)).union(watermarks.keys) }

    /// The occurrences of a campaign that ended after now.
    package func endedAhead(of campaign: String, at now: Date) -> [OccurrenceID] {
        occurrences.filter { _, occurrence in
            occurrence.campaign == campaign && occurrence.finished.map { $0 > now } == true
        }.map(\.key)
    }
}

extension RecordedOccurrence {
    /// Whether a clock that was fast ended it after now with nobody tried. Or, where it is due at one instant for all,
    /// began it after now and left some out, and the others wait.
    func wasPassed(after now: Date) -> Bool {
        if hasTried { return false }
        if let finished { return finished > now }
        return local == nil && hasBegun && begun.map { $0 > now } == true
    }

    /// Forgets what became of one that has tried nobody. Whoever's clock had come to it stays in it: their window may be
    /// still to open, and nobody else joins a wave that the watermark has passed. Whoever was skipped stays so, unless a
    /// fast clock may be the reason, and what waits for a person still does.
    ///
    /// - Parameter starts: when its messages started.
    fileprivate func beginningAnew(
        as id: OccurrenceID, _ starts: Partition<MessageStart>, at now: Date
    ) -> [StateChange] {
        let reached = waves.without { $0 > now }
        let members = local == nil ? classes.all : reached.all
        let isReached = local == nil ? due.map { $0 <= now } ?? true : !members.isEmpty
        // Whom FCM refused for now, it may have reached: they are sent it again, and their caps know the first try.
        let refused = ledger?[.deferred] ?? []
        // After a failover the state may lack who got it.
        guard isReached || !refused.isEmpty || halt != nil else { return [.drop(.occurrence(id))] }
        let anew = RecordedOccurrence(
            campaign: campaign, revision: revision, due: due, local: local, contentDigest: contentDigest,
            target: target, begun: begun.flatMap { $0 > now ? nil : $0 })
        let texts = classes.intersection(members)
        // Opened again without a drop, it keeps whom FCM refused for now, and when their messages started.
        let drop: [StateChange] = isUnbegun ? [] : [.unstarted(id, starts.all), .drop(.occurrence(id))]
        return drop + [.open(id, anew)] + (isUnbegun ? [] : starts.noted(of: id))
            + (texts.isEmpty ? [] : [.assign(id, texts)])
            + (local == nil ? [] : [.waves(id, reached)])
            + (isUnbegun || refused.isEmpty ? [] : [.outcome(id, refused, .deferred)])
            + lastingSkips(of: members, id, at: now) + (halt.map { [.halt(id, $0)] } ?? [])
    }

    /// Has those tried whom it left out in waves that are still to come, as far as a fast clock may be the reason.
    fileprivate func returningWaves(of id: OccurrenceID, at now: Date) -> [StateChange] {
        guard let ledger else { return [] }
        let ahead = waves.without { $0 <= now }.all
        let skipped = ledger.codes.intersection(ledger[.skipped].intersection(ahead))
        let lost = skipped.without { code in
            switch SkipReason(rawValue: code) {
            case .missed, .notTried, .outsideWindow, .superseded: false
            case .noSuchTime, .sameInstant, .badRow, .heldOut, .capped, nil: true
            }
        }.all
        if lost.isEmpty { return [] }
        return (finished == nil ? [.done(id, false)] : [.reopen(id)]) + [.outcome(id, lost, nil)]
    }

    private func lastingSkips(of members: RecipientSet, _ id: OccurrenceID, at now: Date) -> [StateChange] {
        guard let ledger else { return [] }
        let isOfFastClock = begun.map { $0 > now } ?? true
        let skipped = ledger.codes.intersection(ledger[.skipped].intersection(members))
        return skipped.states.sorted().compactMap { code in
            guard let reason = SkipReason(rawValue: code) else { return nil }
            switch reason {
            case .missed, .notTried, .badRow: return nil
            case .outsideWindow, .superseded: if isOfFastClock { return nil }
            case .noSuchTime, .sameInstant, .heldOut, .capped: break
            }
            return .skip(id, skipped[code], reason)
        }
    }
}

extension Partition<MessageStart> {
    /// What counts as started after an instant counts as if it had started then.
    fileprivate func started(by now: Date) -> Partition {
        // They are noted in whole seconds.
        let latest = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.up))
        return states.reduce(into: Partition()) { starts, start in
            starts.move(self[start], to: MessageStart(until: min(start.until, latest), tags: start.tags))
        }
    }

    fileprivate func noted(of id: OccurrenceID) -> [StateChange] {
        states.sorted { ($0.until, $0.tags.joined()) < ($1.until, $1.tags.joined()) }.map { .started(id, self[$0], $0) }
    }
}
