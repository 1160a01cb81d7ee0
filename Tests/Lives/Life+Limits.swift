import FCM
import HeraldTestSupport

@testable import HeraldCore

/// Frequency caps and times: what people would count and see on their own phones.
extension Life {
    /// A third of all workspaces begins with caps, and another third with a window for all campaigns.
    func takeLimits() {
        var random = SeededRandom(seed: seed ^ 0xCA95)
        switch seed % 3 {
        case 1:
            settings.frequencyCaps = Self.anyCaps(&random)
        case 2:
            let from = Int.random(in: 0..<1440, using: &random)
            let to = (from + Int.random(in: 60...1200, using: &random)) % 1440
            settings.window = WrittenWindow(
                hours: DailyHours(from: from, to: to == 0 ? 1440 : to, days: UInt8.random(in: 1...127, using: &random)),
                zone: .utc)
        default: break
        }
    }

    /// The author has another cap, or none. herald knows what counted for the caps that there were; of what started
    /// without one, nobody can say whether it does.
    func editCaps(_ random: inout SeededRandom) {
        if settings.frequencyCaps.isEmpty {
            for (person, own) in starts { mayHaveStarted[person, default: [:]].merge(own) { max($0, $1) } }
            starts = [:]
        } else {
            noteForgotten(at: now)
        }
        earlierCap = max(earlierCap, settings.frequencyCaps.map(\.per).min() ?? .zero)
        settings.frequencyCaps = Int.random(in: 0..<4, using: &random) == 0 ? [] : Self.anyCaps(&random)
        tell("caps: \(settings.frequencyCaps.map(\.words))")
    }

    /// One for all messages, or for those with a tag, or both.
    private static func anyCaps(_ random: inout SeededRandom) -> [FrequencyCap] {
        let all = FrequencyCap.any("all", nil, &random)
        let promo = FrequencyCap.any("promo", ["promo"], &random)
        return [[all], [all], [promo], [all, promo], [promo, all]].randomElement(using: &random) ?? [all]
    }

    /// What kind of message the campaigns of a line send: half of them say it, and always the same.
    func tags(of line: Int) -> [String] { (seed / 3 + UInt64(line)).isMultiple(of: 2) ? ["promo"] : [] }

    /// The messages of these that count for a cap.
    private func counting(_ starts: [Key: Date], for cap: FrequencyCap) -> [Key: Date] {
        starts.filter { cap.isFor(tags(of: $0.key.line)) }
    }

    /// Nothing starts before its time, or after it has expired.
    func checkTime(
        of key: Key, to target: Registration?, _ campaign: LifeFiles.Campaign, _ title: String, at date: Date
    ) throws {
        let dues =
            campaign.isInLocalTime
            ? target.map { instants(of: key, campaign, for: $0.recipientKey) } ?? []
            : [key.due ?? campaign.at].compactMap(\.self)
        if let due = dues.min(), due > max(date, Self.date(at: time.now.offset, 0)) {
            throw LifeProblem(promise: "sends too early", words: "'\(title)' is due \(due.rfc3339)")
        }
        if let due = dues.max(), let expiry = campaign.expiresAfter, date > due.adding(expiry) {
            throw LifeProblem(
                promise: "sends what has expired", words: "'\(title)' expired \(due.adding(expiry).rfc3339)")
        }
        if let expiry = campaign.expiresAfter, campaign.due == .once, let begun = self.begun[key],
            date > begun.at.adding(expiry)
        {
            throw LifeProblem(promise: "sends what has expired", words: "'\(title)' began \(begun.at.rfc3339)")
        }
    }

    /// A message to one person starts.
    func checkStart(
        of key: Key, to target: Registration, _ campaign: LifeFiles.Campaign, _ spoken: [String], at date: Date,
        _ mishap: LifeMishap?
    ) throws {
        try checkWish(
            of: target, for: campaign, spoken.prefix(3).joined(separator: " "), name: spoken.dropFirst(3).first)
        // Neither windows nor caps hold for seeds, and they fill no cap.
        guard !runFiles.seeds(of: campaign).contains(target.recipientKey) else { return }
        let person = target.recipientKey
        try checkWindow(of: key, to: person, campaign, at: date)
        for cap in settings.frequencyCaps where !isForgiven && cap.isFor(tags(of: key.line)) {
            let others = counting(starts[person] ?? [:], for: cap).filter {
                $0.key != key && $0.value > date - cap.per.seconds
            }
            if others.count >= cap.max {
                throw LifeProblem(
                    promise: "keeps to frequency caps",
                    words: "\(words(key)) is one more for \(number(of: person)) than \(cap.words) allows")
            }
        }
        // What FCM refused was no message. Where it failed, the message may have arrived.
        let isRefused = mishap.map { $0.isRefusal || $0 == .quota || $0 == .notSent } ?? fcm.now.dead.contains(target)
        if !isRefused { starts[person, default: [:]][key] = date }
    }

    /// What a run was sending when it died may have started, whether FCM got the request or not: it counts.
    func noteIntents(of content: LifeRun.Content) {
        for note in content.notes {
            for case .outcome(let id, let members, .intended?) in note.changes {
                guard let occurrence = known.state.occurrences[id],
                    let campaign = campaign(recordedAs: occurrence.campaign)
                else { continue }
                let people = known.installations(of: members.intersection(occurrence.ledger?[.intended] ?? []))
                for person in people.subtracting(runFiles.seeds(of: campaign)) {
                    mayHaveStarted[person, default: [:]][key(of: campaign, recorded: occurrence)] =
                        Self.date(at: note.offset, skew)
                }
            }
        }
    }

    /// Whoever is skipped needs nothing more.
    func noteSkipped(_ content: LifeRun.Content) throws {
        for (occurrence, members, reason) in content.skipped {
            // Another campaign may have had the name in its id before.
            let name = content.campaign(of: occurrence)
            guard let campaign = files.campaigns.first(where: { $0.name == name }) else { continue }
            let key = key(of: campaign, occurrence)
            asked.insert(key)
            noteBeginning(of: key, campaign, at: content.plans.first?.plan.at ?? now)
            if members.contains(0) {
                end(key)
                if reason == .outsideWindow { try checkSkipped(nil, for: key, campaign, content) }
            }
            for (id, registration) in known.registrations(of: members) {
                excused[key, default: []].insert(registration.recipientKey)
                if reason == .outsideWindow {
                    try checkSkipped(registration.recipientKey, for: key, campaign, content)
                }
                if reason == .missed {
                    leftOut[key, default: []].insert(registration.recipientKey)
                    try checkTooLate(registration.recipientKey, for: key, campaign)
                }
                if case .capped(let name)? = reason, !isForgiven {
                    let cap = settings.frequencyCaps.first { $0.name == name }
                    try checkCap(cap, registration.recipientKey, id, key, occurrence, content)
                }
            }
        }
    }

    /// Whom a person had tried again, and who is left out all the same, keeps what FCM had said.
    func noteKeptRejections(_ content: LifeRun.Content) {
        for (id, members) in content.rejected {
            let name = content.campaign(of: id)
            guard let campaign = files.campaigns.first(where: { $0.name == name }) else { continue }
            let key = key(of: campaign, id)
            let again = known.installations(of: members).intersection(triedAgain[key] ?? [])
            excused[key, default: []].formUnion(again)
        }
    }

    /// By the clock of a run these are too old for every cap, so herald may forget them. After a fast clock nobody can say
    /// whether they still count.
    func noteForgotten(at date: Date) {
        // By caps that nobody approved it forgets nothing.
        guard hasApprovedSettings, let per = settings.frequencyCaps.map(\.per).max() else { return }
        for (person, own) in starts {
            let old = own.filter { $0.value <= date - per.seconds }
            if old.isEmpty { continue }
            mayHaveStarted[person, default: [:]].merge(old) { max($0, $1) }
            starts[person] = own.filter { $0.value > date - per.seconds }
        }
    }

    /// Somebody must have filled the cap: earlier messages, or others of the same plans.
    private func checkCap(
        _ cap: FrequencyCap?, _ person: RecipientKey, _ id: RecipientID, _ key: Key, _ occurrence: OccurrenceID,
        _ content: LifeRun.Content
    ) throws {
        guard let plan = content.plans.first?.plan else { return }
        guard let cap, cap.isFor(tags(of: key.line)) else {
            throw LifeProblem(promise: "caps only what a cap is for", words: words(key))
        }
        // A message is remembered a little longer.
        let begin = plan.at - cap.per.seconds - max(60, max(cap.per, earlierCap).seconds / 48)
        let counted = (starts[person] ?? [:]).merging(mayHaveStarted[person] ?? [:]) { max($0, $1) }
        let earlier = counting(counted, for: cap).filter { $0.key != key && $0.value > begin }.count
        let others = content.plans.flatMap(\.plan.steps).compactMap { step -> OccurrenceID? in
            guard case .send(let send) = step.work, send.members.contains(id) else { return nil }
            return cap.isFor(send.delivery.frequency.tags) ? send.occurrence : nil
        }
        // A person may have let one of a deleted campaign go on with the message of another that has its name now.
        let twins = known.state.occurrences.count { id, other in
            let campaign = campaign(recordedAs: other.campaign)
            return id != occurrence && campaign.map { self.key(of: $0, recorded: other) } == key
        }
        if earlier + twins + Set(others).subtracting([occurrence]).count < cap.max {
            throw LifeProblem(
                promise: "caps only who had enough",
                words: "\(words(key)) was not sent to \(number(of: person)), who had \(earlier)")
        }
    }
}

extension FrequencyCap {
    fileprivate static func any(
        _ name: String, _ tags: Set<String>?, _ random: inout SeededRandom
    ) -> FrequencyCap {
        FrequencyCap(
            name: name, max: .random(in: 1...3, using: &random),
            per: .seconds(.random(in: 1...96, using: &random) * 900), tags: tags)
    }
}
