internal import FCM

/// Frequency caps: the second pass over what is due, in the order in which it is sent.
extension Planner {
    /// What is known before anything is planned. What a run is sending was judged when it began, and goes on, whatever a
    /// plan says of it now.
    func capBook() -> CapBook {
        var book = CapBook(state.starts, at: now)
        for send in underWay {
            // Whoever has it is in the state. Whoever was refused got nothing. Who may have it may be sent it again.
            let occurrence = state.occurrences[send.occurrence]
            let ledger = occurrence?.ledger ?? Ledger()
            let known = ledger.settled.subtracting(ledger.uncertain).subtracting(occurrence?.released ?? [])
            fill(&book, with: send, send.members.subtracting(known))
        }
        return book
    }

    /// Whether a run is sending it. Then that run leaves out what is planned of it.
    private func isUnderWay(_ send: Plan.Send) -> Bool { underWay.contains { $0.occurrence == send.occurrence } }

    /// Whether caps are judged for a send. Without the lists nobody knows whom it goes to.
    private func heedsCaps(_ send: Plan.Send) -> Bool {
        !settings.frequencyCaps.isEmpty && !listsSkipped && !isUnderWay(send)
    }

    /// Takes out whom a cap stops. Nothing queues behind a cap: they are skipped for good, unless only an earlier send stops
    /// them and does not start.
    mutating func applyCaps(to send: inout Plan.Send, _ book: CapBook) {
        guard heedsCaps(send) else { return }
        send.counting = counting(send)
        if send.counting != nil { send.earlierStarts = state.starts[send.occurrence] ?? Partition() }
        cap(&send, by: book)
        noteCappedStage(of: send)
    }

    /// A stage of which nobody is sent anything shows nothing, and the next one waits for nothing.
    private mutating func noteCappedStage(of send: Plan.Send) {
        guard sizes == nil, send.members.isEmpty, send.discovered.isEmpty, let staging = send.staging,
            !staging.othersWait, staging.figures.outcomes == 0, let next = staging.ahead.states.min()
        else { return }
        let capped = send.skipped.members { if case .capped = $0 { true } else { false } }
        guard !capped.isEmpty else { return }
        let missing = staging.soak == .manual ? "a decision" : "a soak"
        overview.warnings.append(
            "\(send.occurrence): caps stop \(count(capped.count, "recipient")), so nobody gets it in stage \(staging.share.words); stage \(next.words) opens without \(missing)"
        )
    }

    /// Whom caps stop of those who may have another of these occurrences already, and are sent that one again. The send
    /// does not start for them, so it takes the place of nothing. A snapshot does not say who they are: it may be anybody.
    func stoppedByTries(of sends: [Plan.Send], _ send: Plan.Send) -> RecipientSet {
        let frequency = send.delivery.frequency
        guard heedsCaps(send), !frequency.ignoresCaps else { return [] }
        let others = sends.filter { $0.occurrence != send.occurrence && state.occurrences[$0.occurrence] != nil }
        if sizes != nil { return others.isEmpty ? [] : send.members }
        var tried = RecipientSet()
        for other in others {
            guard let ledger = state.occurrences[other.occurrence]?.ledger else { continue }
            let mayHaveIt = ledger.uncertain.union(ledger.resent).union(ledger[.deferred])
            tried.formUnion(other.members.intersection(mayHaveIt))
        }
        let judged = tried.intersection(send.members).subtracting(send.seeds)
        guard !judged.isEmpty else { return [] }
        let book = CapBook(state.starts, at: now)
        return book.capped(judged, of: send.occurrence, by: frequency.caps)
            .reduce(into: RecipientSet()) { $0.formUnion($1.members) }
    }

    /// The campaigns that stop nobody under a cap: those that a run leaves out because of guards, and those of which
    /// several occurrences are due and a snapshot does not say who gets only the latest.
    func campaignsUncounted(in due: [(send: Plan.Send, campaign: Campaign)]) -> Set<String> {
        if settings.frequencyCaps.isEmpty { return [] }
        let leftOut = workspace.campaignNames(affectedBy: policy.leftOut(plan.refusals), renaming: successors)
        if sizes == nil { return leftOut }
        let caughtUp = due.filter { $0.campaign.schedule.catchUp != .all }.map(\.send)
        let several = Dictionary(grouping: caughtUp, by: \.campaign).filter { _, sends in
            sends.count > 1 && sends.contains { state.occurrences[$0.occurrence] != nil }
        }
        return leftOut.union(several.keys)
    }

    /// Counts a send for those behind it.
    func fill(_ book: inout CapBook, with send: Plan.Send) {
        guard heedsCaps(send), !isUnapproved(send), sizes == nil || isOfListed(send) else { return }
        fill(&book, with: send, send.members)
    }

    /// Whether a send goes to all of its members but the dead and those whom a cap stops. A snapshot does not know who was
    /// tried, so it can say that only of new sends.
    private func isOfListed(_ send: Plan.Send) -> Bool {
        send.isCounted && !isEstimated(send) && state.occurrences[send.occurrence] == nil
    }

    /// So many campaigns are looked at for whom caps stop next, the first ones. That takes long for large lists.
    private static let foreseen = 20

    /// Notes where caps may stop somebody of what is to come, and whom they stop next if all of this plan is sent. The plans
    /// that a run makes while it sends are for no reader, and must not keep it from sending.
    mutating func foreseeCaps(_ book: CapBook) {
        guard !settings.frequencyCaps.isEmpty, !listsSkipped else { return }
        let byCampaign = wantedSends
        var seen: Set<String> = []
        for place in overview.upcoming.indices {
            let (coming, target) = (overview.upcoming[place].occurring, overview.upcoming[place].target)
            guard let wanted = byCampaign[coming.campaign], wanted.campaign.delivery.isCapped(to: target) else {
                continue
            }
            overview.upcoming[place].capped = 0
            // From a snapshot nobody knows who had what.
            guard underWay.isEmpty, sizes == nil, wanted.isCounted, seen.count < Self.foreseen,
                seen.insert(coming.campaign).inserted
            else { continue }
            let all = wanted.members.intersection(wanted.reached).subtracting(unreachable).subtracting(wanted.seeds)
            let upcoming = overview.upcoming[place]
            let starts =
                coming.last == nil
                ? [(at: coming.at, members: all)]
                : upcoming.waves.filter { $0.skipped == 0 }
                    .map { (at: $0.start, members: upcoming.coming[$0.at].intersection(all)) }
            for (start, members) in starts where !members.isEmpty {
                let stopped = book.looking(at: start)
                    .capped(members, of: coming.occurrence, by: wanted.campaign.delivery.frequency.caps)
                overview.upcoming[place].capped? += stopped.reduce(0) { $0 + $1.members.count }
            }
        }
    }

    /// `nil` if its messages do not count: nobody knows whom one request to a whole target reaches.
    private func counting(_ send: Plan.Send) -> StartCounting? {
        send.target.isOneRequest(send.delivery)
            ? nil : StartCounting(send.delivery.frequency, settings.frequencyCaps)
    }

    private func fill(_ book: inout CapBook, with send: Plan.Send, _ members: RecipientSet) {
        guard let counting = counting(send) else { return }
        let frequency = send.delivery.frequency
        book.count(
            members.subtracting(send.seeds), of: send.occurrence, tags: counting.tags,
            heeding: frequency.ignoresCaps ? [] : frequency.caps)
    }

    private func cap(_ send: inout Plan.Send, by book: CapBook) {
        guard send.delivery.isCapped(to: send.target) else { return }
        let frequency = send.delivery.frequency
        var book = book
        if sizes != nil {
            // Nobody knows whom its own first try kept from those before it.
            if send.isResumed || state.occurrences[send.occurrence] != nil { return }
            book.keepPlanned(heeding: frequency.caps)
        }
        let judged = send.members.subtracting(send.seeds)
        let stopped = book.capped(judged, of: send.occurrence, by: frequency.caps)
        for (cap, members) in stopped {
            send.skipped.move(members, to: .capped(cap.name))
            send.limit(to: send.members.subtracting(members))
        }
        send.undecided = book.undecided(stopped, of: send.occurrence, by: frequency.caps)
    }

    /// What the state notes about the messages that count: since when it knows them all, and which are too old.
    mutating func keepStarts() {
        let caps = settings.frequencyCaps
        if caps.isEmpty {
            if state.countingSince != nil { plan.notes.append(.counting(since: nil)) }
        } else if state.countingSince == nil {
            plan.notes.append(.counting(since: now))
        }
        // Without caps, some may come back. A clock that is fast makes nothing too old by itself, only what started since
        // does.
        let newest = state.starts.values.flatMap { $0.states.map(\.until) }.max() ?? now
        let end =
            (caps.isEmpty ? now : min(now, newest)) - (caps.map(\.per).max() ?? FrequencyCap.spans.upperBound).seconds
        if state.starts.values.contains(where: { $0.states.contains { $0.until <= end } }) {
            plan.notes.append(.forgetStarts(until: end))
        }
        // From a snapshot nothing is known.
        let since = state.countingSince ?? now
        let short = caps.filter { now - $0.per.seconds < since }.map { "'\($0.name)'" }
        guard !short.isEmpty, sizes == nil else { return }
        let which = short.count == 1 ? "cap \(short[0]) looks" : "caps \(short.joined(separator: ", ")) look"
        overview.warnings.append(
            "frequency \(which) further back than the state knows: messages count since \(since.rfc3339)")
    }
}

extension Campaign.Delivery {
    /// Whether a cap may stop somebody of a target.
    func isCapped(to target: Campaign.Target) -> Bool {
        !frequency.ignoresCaps && !frequency.caps.isEmpty && !target.isOneRequest(self)
    }
}
