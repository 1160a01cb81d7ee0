import FCM

@testable import HeraldCore

/// A plan made from a state beside one made from the state's snapshot: what must be equal, and what must lie within
/// bounds.
struct ForecastComparison {
    let real: Proposal
    let forecast: Proposal
    let snapshot: StateSnapshot
    let desired: Desired
    private let planned: Desired
    private(set) var differences: [String] = []

    /// - Parameters:
    ///   - planned: what the plan was made of. Its numbers of recipients are the state's.
    ///   - desired: what the forecast was made of.
    init(
        _ real: Proposal, of planned: Desired, _ forecast: Forecast, of desired: Desired, from snapshot: StateSnapshot
    ) {
        (self.real, self.planned, self.forecast) = (real, planned, forecast.proposal)
        (self.snapshot, self.desired) = (snapshot, desired)
        if self.forecast.overview.figures == .unknown { compareDocuments() }
        compareHistory()
        compareSends()
        compareComing()
        compareGuards()
    }

    private mutating func expect(_ isSo: Bool, _ words: @autoclosure () -> String) {
        if !isSo { differences.append(words()) }
    }

    /// Without lists, everything that is shown is the same.
    private mutating func compareDocuments() {
        let told = forecast.overview.unjudged.filter { $0.kind == .looksRenamed }.flatMap(\.names)
        let documents = [real, forecast].map { proposal in
            var proposal = proposal
            proposal.plan.refusals.removeAll {
                $0.kind == .looksRenamed && told.contains("campaign '\($0.name)'")
            }
            proposal.plan.held = proposal.plan.held.map(\.asSnapshotsTell)
            // A snapshot does not say since when messages count, nor when they started.
            proposal.overview.warnings.removeAll {
                $0.hasPrefix("the snapshot knows") || $0.hasPrefix("frequency cap")
                    || $0.hasPrefix("a clock was fast: what was sent")
            }
            let json = PlanDocument(proposal, id: "id", created: proposal.plan.at).json
            return json.object?.filter { !["snapshot", "unjudged", "digest"].contains($0.key) } ?? [:]
        }
        let names = Set(documents.flatMap(\.keys)).sorted().filter { documents[0][$0] != documents[1][$0] }
        for name in names {
            let shown = documents.map { $0[name].map { "\($0)" } ?? "nothing" }
            expect(false, "the documents differ in \(name): \(shown[0]) and \(shown[1])")
        }
    }

    private mutating func compareHistory() {
        let (one, other) = (real.plan, forecast.plan)
        expect(one.renames == other.renames, "renames \(one.renames) \(other.renames)")
        // A list of nobody but dead says no zones, and so it is later that a firing is missed.
        let sure = desired.sends.filter { !mayHaveNobody($0) }.map(\.campaign.name.value)
        let superseded = [one, other].map { $0.superseded.filter { sure.contains($0.occurrence.campaign) } }
        expect(superseded[0] == superseded[1], "superseded \(superseded)")
        let silenced = one.silenced.filter { $0.kind != .starts }
        expect(silenced == other.silenced, "silenced \(silenced) \(other.silenced)")
        let next = [coming.first?.occurring.at] + one.waiting.map(\.until)
        expect(isInWaves || one.nextDue == next.compactMap(\.self).min(), "next due")
        let excused = Set(desired.sends.filter { mayHaveNobody($0) || hidesWaves($0) }.map(\.campaign.name.value))
        for name in Set(one.watermarks.keys).union(other.watermarks.keys) where !excused.contains(name) {
            let marks = (one.watermarks[name], other.watermarks[name])
            let isExcused = waitsForDead(name, marks.0, marks.1) || startsForDead(name, marks.0, marks.1)
            expect(marks.0 == marks.1 || isExcused, "watermark of \(name)")
        }
        compare(one.missed.map(Miss.init), other.missed.map(Miss.init), "missed", id: \.occurrence)
        // Whether somebody is left to resend to, and who of a send that ends may have it, a snapshot does not say.
        let isOver = { (held: Plan.Held) in held.kind == .unknown && one.over.contains(held.occurrence) }
        compare(
            one.held.filter { !isOver($0) }.map(Hold.init), other.held.filter { !isOver($0) }.map(Hold.init), "held",
            id: \.occurrence)
    }

    /// Whether the plan has it as missed, or as joined too late by everybody.
    private func isPast(_ id: OccurrenceID) -> Bool {
        (real.plan.missed + real.plan.joinedLate).contains { $0.occurrence == id }
    }

    /// Whether all for whom the forecast has it held, or all of a wave that it has as missed, may be dead.
    private func isOfDead(_ id: OccurrenceID) -> Bool {
        // Only the dead keep it from being missed. Those who are too late are in the hold, too.
        let isMissedWithoutThem = isPast(id) && comesForDead(id)
        let isHeld = forecast.plan.held.contains {
            let seeds = $0.kind == .paused ? movableSeeds(String(id.rawValue.prefix { $0 != "@" })).count : 0
            return $0.occurrence == id && $0.remaining + seeds > 0
                && ($0.remaining - seeds <= snapshot.sizes.tombstones || $0.kind == .paused && isMissedWithoutThem)
        }
        let missed = forecast.plan.missed.filter { $0.occurrence == id }.map {
            String($0.occurrence.rawValue.prefix { $0 != "@" })
        }
        let isMissed = desired.sends.contains {
            missed.contains($0.campaign.name.value) && $0.campaign.schedule.local != nil
        }
        return isHeld || isMissed && snapshot.sizes.tombstones > 0
    }

    /// Whether all for whom the forecast has it in time, now or later, may be dead. Without them, it is missed.
    private func comesForDead(_ id: OccurrenceID) -> Bool {
        let ahead = forecast.overview.upcoming.first { $0.occurring.occurrence == id && !$0.waves.isEmpty }
        let people = (ahead?.recipients ?? 0) + inTime(id)
        return people > 0 && people <= snapshot.sizes.tombstones
    }

    /// How many are in waves that have come and are not too late.
    private func inTime(_ id: OccurrenceID) -> Int {
        guard let send = sends(of: forecast)[id], let reached = send.waves?.reached,
            let wanted = desired.sends.first(where: { $0.campaign.name.value == send.campaign })
        else { return 0 }
        let instants = reached.states.filter {
            wanted.campaign.limits(due: $0, in: wanted.windowZones(besides: [])).lateness(at: forecast.plan.at) == nil
        }
        return reached.union(of: instants).count
    }

    /// How many seeds may start with another wave than the forecast has: all of its first one may be dead.
    private func movableSeeds(_ campaign: String) -> RecipientSet {
        guard snapshot.sizes.tombstones > 0 else { return [] }
        return desired.sends.first { $0.campaign.name.value == campaign }?.seeds ?? []
    }

    /// Whether the snapshot leaves open who is in which wave of an occurrence.
    private func hidesWaves(_ id: OccurrenceID) -> Bool {
        guard forecast.overview.figures != .unknown else { return false }
        if let known = snapshot.occurrences[id] { return known.recorded.local != nil }
        // A rename leaves the ids of recorded occurrences as they are.
        let parts = id.rawValue.split(separator: "@", maxSplits: 1).map(String.init)
        let campaign = desired.sends.first { $0.campaign.name.value == parts.first }?.campaign
        return snapshot.occurrences.values.contains { occurrence in
            occurrence.recorded.local.map { parts.last?.hasPrefix($0.shortText) == true } == true
                && campaign?.continues(occurrence.recorded.campaign) == true
        }
    }

    /// Whether it leaves that open of an occurrence of the campaign that is not over.
    private func hidesWaves(_ wanted: DesiredSend) -> Bool {
        snapshot.occurrences.contains { id, occurrence in
            wanted.campaign.continues(occurrence.recorded.campaign) && occurrence.recorded.finished == nil
                && hidesWaves(id)
        }
    }

    /// Whether there is anything in local time: whose clocks are ahead depends on who is dead, which a snapshot does not say.
    private var isInWaves: Bool {
        forecast.overview.figures != .unknown && desired.sends.contains { $0.campaign.schedule.local != nil }
    }

    /// The forecast has all that the plan has, and more only where the snapshot leaves open whether anybody is left.
    private mutating func compare<Entry: Hashable>(
        _ one: [Entry], _ other: [Entry], _ name: String, id: (Entry) -> OccurrenceID
    ) {
        for entry in one where !hidesWaves(id(entry)) && !comesForDead(id(entry)) {
            expect(other.contains(entry), "\(name): the forecast lacks \(entry)")
        }
        for entry in Set(other).subtracting(one) {
            let isExcused = mayHaveNobody(id(entry)) || hidesWaves(id(entry)) || isOfDead(id(entry))
            expect(isExcused, "\(name): the forecast has \(entry)")
        }
    }

    // MARK: Sends

    private mutating func compareSends() {
        let (one, other) = (sends(of: real), sends(of: forecast))
        for (id, send) in one {
            // Whose row moved since goes by its zone of now in the forecast.
            let moved = send.movedSinceTheirWave(in: planned, at: real.plan.at)
            guard let shown = other[id] else {
                // A snapshot does not say who left the list, or got a later occurrence, so it cannot show a send that only
                // accounts for them.
                let isAccountOnly = send.members.subtracting(moved).isEmpty && send.discovered.isEmpty
                expect(isAccountOnly || isOfOtherSeeds(id, send), "the forecast lacks \(id)")
                continue
            }
            // Those of the first wave may all be dead.
            let mayDiffer = send.waves != nil && snapshot.sizes.tombstones > 0
            let isEarlier = mayDiffer && (shown.due ?? .distantFuture) < (send.due ?? .distantPast)
            let isDue = shown.due == send.due || hidesWaves(id) || isEarlier
            expect(isDue && shown.isResumed == send.isResumed, "\(id) differs: due \(send.due ?? .distantPast)")
            expect(shown.contentDigest == send.contentDigest, "\(id) has another message")
            guard forecast.overview.figures == .estimated else { continue }
            let recipients = send.recipients - moved.count
            // Who came to the list since may be all that its stage seems to skip. Then the next one is open.
            let later = shown.skipped[.outsideWindow].isEmpty ? 0 : shown.staging?.ahead.all.count ?? 0
            let most = shown.recipients + later
            expect(recipients <= most, "\(id) reaches \(recipients) of \(most)")
            // Who left the list is in no figure of the snapshot. Neither is who is skipped with a wave or for a later
            // occurrence.
            let accounted = send.leftOut.count + send.skipped.all.count + send.refused.count + moved.count
            let planned = (Plan.Work.send(send).planned - accounted, Plan.Work.send(shown).planned)
            expect(planned.0 <= planned.1, "\(id) has \(planned.0) of \(planned.1)")
        }
        let forDead = Set(startedForDead.map(\.occurrence))
        for (id, shown) in other where one[id] == nil && !forDead.contains(id) {
            let isAccountOnly = shown.members.isEmpty && shown.delivery.onUnknown == .resend
            // Those whose clock has reached it may all be dead, or those of a stage that waits.
            let (seeds, dead) = (movableSeeds(shown.campaign), snapshot.sizes.tombstones)
            let waits = dead > 0 && shown.staging != nil && real.plan.waiting.contains { $0.occurrence == id }
            let mayBeDead = shown.waves.map { $0.reached.all.subtracting(seeds).count <= dead } ?? waits
            let isMissed = isPast(id) && comesForDead(id)
            let isExcused = mayHaveNobody(id) || hidesWaves(id) || isAccountOnly || mayBeDead || isMissed
            expect(isExcused, "the forecast has \(id)")
        }
    }

    /// Whether it only goes to seeds whom a snapshot does not show: they took the place of as many others, and the forecast
    /// has the stage as over; or the target has nobody else, and only the state knows that they are part of it.
    private func isOfOtherSeeds(_ id: OccurrenceID, _ send: Plan.Send) -> Bool {
        guard send.members.subtracting(send.seeds).isEmpty else { return false }
        let words = "\(id) is half done and has nobody to send to"
        if forecast.overview.warnings.contains(where: { $0.hasPrefix(words) }) { return true }
        let first = snapshot.occurrences[id]?.recorded.stages.first { $0.share == .seeds }
        let seeds = desired.sends.first { $0.campaign.name.value == send.campaign }?.seeds ?? []
        let isOver =
            forecast.plan.waiting.contains { $0.occurrence == id && $0.opensStage }
            || forecast.plan.held.contains { $0.occurrence == id && [.halted, .held].contains($0.kind) }
        return isOver && first?.planned == seeds.count
    }

    func sends(of proposal: Proposal) -> [OccurrenceID: Plan.Send] {
        let sends = proposal.plan.steps.compactMap { if case .send(let send) = $0.work { send } else { nil } }
        return Dictionary(sends.map { ($0.occurrence, $0) }) { first, _ in first }
    }

    /// Whether all listed recipients may be dead, tried, or no part of it.
    private func mayHaveNobody(_ id: OccurrenceID) -> Bool {
        // The snapshot does not say whom an occurrence is for.
        if forecast.overview.figures != .unknown, snapshot.occurrences[id]?.recorded.begun != nil { return true }
        let name = snapshot.occurrences[id]?.recorded.campaign ?? String(id.rawValue.prefix { $0 != "@" })
        let names = [name] + forecast.plan.renames.filter { $0.old == name }.map(\.new)
        let wanted = desired.sends.filter { names.contains($0.campaign.name.value) }
        let tried = snapshot.occurrences[id]?.recorded.counts.tried ?? 0
        return wanted.isEmpty || wanted.contains { mayHaveNobody($0, tried: tried) }
    }

    private func mayHaveNobody(_ wanted: DesiredSend, tried: Int? = nil) -> Bool {
        if forecast.overview.figures == .unknown { return false }
        var members = wanted.members.count
        if case .group(let name) = wanted.campaign.target.value, wanted.members == .target {
            members = desired.groups.first { $0.name == name }?.members.count ?? 0
        } else if wanted.members == .target {
            return false
        }
        // Seeds alone are nobody to begin with (`Planner.begin`), whether they live or not.
        if members - wanted.guests.count <= snapshot.sizes.tombstones { return true }
        let most =
            snapshot.occurrences.values.filter { wanted.campaign.continues($0.recorded.campaign) }
            .map(\.recorded.counts.tried).max() ?? 0
        return members <= snapshot.sizes.tombstones + (tried ?? most)
    }

    /// What the forecast shows to be coming, without what goes on then only if somebody is left.
    private var coming: [PlanOverview.Upcoming] {
        let known = Set(real.overview.upcoming.map(\.occurring))
        return forecast.overview.upcoming.filter { known.contains($0.occurring) || !mayBeOver($0.occurring) }
    }

    /// Whether it has begun before its time, and everybody may have been tried.
    private func mayBeOver(_ occurring: Occurring) -> Bool {
        let campaign = desired.sends.first { $0.campaign.name.value == occurring.campaign }?.campaign
        return snapshot.occurrences.contains { id, occurrence in
            let recorded = occurrence.recorded
            return recorded.due == occurring.at && recorded.finished == nil && recorded.counts.tried > 0
                && campaign?.continues(recorded.campaign) == true && mayHaveNobody(id)
        }
    }

    private mutating func compareComing() {
        let isLocal = { [isInWaves] (upcoming: PlanOverview.Upcoming) in isInWaves && upcoming.occurring.last != nil }
        let (one, other) = (real.overview.upcoming.filter { !isLocal($0) }, coming.filter { !isLocal($0) })
        expect(one.map(\.occurring) == other.map(\.occurring), "other sends are coming")
        compareWaves(real.overview.upcoming.filter(isLocal), coming.filter(isLocal))
        guard forecast.overview.figures == .estimated else { return }
        for (send, shown) in zip(one, other) {
            expect(send.recipients <= shown.recipients, "\(send.occurring.occurrence) will reach more")
        }
    }

    /// The forecast has every wave, and more where the snapshot leaves open who is dead, or in an earlier one.
    private mutating func compareWaves(_ one: [PlanOverview.Upcoming], _ other: [PlanOverview.Upcoming]) {
        for send in one where !hidesWaves(send.occurring.occurrence) {
            let shown = other.first { $0.occurring.occurrence == send.occurring.occurrence }
            let isAll =
                shown.map { shown in
                    let instants = Set(shown.waves.map(\.at))
                    let seeds = movableSeeds(send.occurring.campaign)
                    return (!seeds.isEmpty || send.waves.allSatisfy { instants.contains($0.at) })
                        && send.recipients <= shown.recipients + seeds.count
                } ?? isOfSeeds(send)
            expect(isAll, "the forecast lacks waves of \(send.occurring.occurrence)")
        }
        guard snapshot.sizes.tombstones == 0 else { return }
        let names = Set(one.map(\.occurring.occurrence))
        for id in other.map(\.occurring.occurrence) where !hidesWaves(id) {
            expect(names.contains(id), "the forecast has \(id)")
        }
    }

    /// Whether all of them may be seeds whom the forecast has with a wave that has come: all others of it may be dead.
    private func isOfSeeds(_ send: PlanOverview.Upcoming) -> Bool {
        let (id, seeds) = (send.occurring.occurrence, movableSeeds(send.occurring.campaign))
        if forecast.plan.held.contains(where: { $0.occurrence == id && $0.kind == .paused }) {
            return isOfDead(id) && send.recipients <= seeds.count
        }
        let reached = sends(of: forecast)[id]?.waves?.reached.all ?? []
        return reached.subtracting(seeds).count <= snapshot.sizes.tombstones
            && send.recipients <= reached.intersection(seeds).count
    }

    // MARK: Guards

    private mutating func compareGuards() {
        guard forecast.overview.figures == .estimated else { return }
        let real = real.plan.refusals.filter { $0.kind != .stateWentBack }
        let told = forecast.overview.unjudged
        for refusal in real {
            let subject = refusal.subject.map { "\($0)" } ?? "campaign '\(refusal.name)'"
            let isTold = told.contains { $0.kind == refusal.kind && $0.names.contains { isName($0, of: subject) } }
            expect(
                isTold || forecast.plan.refusals.contains { isSame($0, as: refusal) }, "no guard: \(refusal.message)")
        }
        for refusal in forecast.plan.refusals where !real.contains(where: { isSame(refusal, as: $0) }) {
            let isOfNobody = desired.sends.contains {
                $0.campaign.name.value == refusal.name && mayHaveNobody($0)
            }
            expect(isOfNobody && refusal.subject == nil, "a guard too many: \(refusal.message)")
        }
    }

    private func isSame(_ one: GuardRefusal, as other: GuardRefusal) -> Bool {
        one.kind == other.kind && (one.subject == nil) == (other.subject == nil)
            && isName(one.subject?.name ?? one.name, of: other.subject?.name ?? other.name)
    }

    /// A snapshot has digests in place of the names of groups.
    private func isName(_ shown: String, of name: String) -> Bool {
        guard shown != name, shown.contains("sha256:") else { return shown == name }
        let bare = name.hasPrefix("group '") ? String(name.dropFirst(7).dropLast()) : name
        return GroupName(rawValue: bare).map { shown.contains(snapshot.digest(of: $0).prefix(23)) } ?? false
    }
}
