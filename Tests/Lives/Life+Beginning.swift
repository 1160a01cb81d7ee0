import FCM
import HeraldTestSupport

@testable import HeraldCore

/// Whom a firing is for since it began, and for whom no firing is.
extension Life {
    /// Whom a firing is for, of those who are listed now. `nil` if it goes to a whole target.
    func whom(_ key: Key, _ campaign: LifeFiles.Campaign) -> Set<RecipientKey>? {
        let listed = files.recipients(of: campaign)
        // In local time, each wave is for those who are listed then.
        guard let members = begun[key]?.members ?? opened[key]?.members, !campaign.isInLocalTime else { return listed }
        return listed?.intersection(members).subtracting(passed(by: key, campaign))
    }

    /// A firing that begins is for those who are listed now with a registration that is not dead.
    func noteBeginning(of key: Key, _ campaign: LifeFiles.Campaign, at date: Date) {
        guard begun[key] == nil else { return }
        let living = Set(files.listed.subtracting(deadBefore).map(\.recipientKey))
        begun[key] = (opened[key]?.members ?? files.recipients(of: campaign)?.intersection(living), date)
    }

    /// What has tried nobody may begin anew, for others. After a restore, the state says whom a firing is for.
    func noteUnbegun(isRestored: Bool = false) {
        var recorded: [Key: RecordedOccurrence] = [:]
        for (_, occurrence) in known.snapshot.occurrences.sorted(by: { $0.key < $1.key }) {
            guard let campaign = campaign(recordedAs: occurrence.campaign) else { continue }
            recorded[key(of: campaign, recorded: occurrence)] = occurrence
        }
        if isRestored { opened = [:] }
        let revisions = Dictionary(files.campaigns.map { ($0.line, $0.revision) }) { one, _ in one }
        for (key, occurrence) in recorded where occurrence.isUnbegun {
            guard revisions[key.line] ?? occurrence.revision == occurrence.revision else { continue }
            let members = known.installations(of: occurrence.classes.all)
            opened[key] = occurrence.hasTexts ? (members, occurrence.contentDigest, occurrence.local != nil) : nil
        }
        for key in begun.keys {
            guard let occurrence = recorded[key], !occurrence.isUnbegun else {
                if isRestored || recorded[key] != nil { begun[key] = nil }
                continue
            }
            if isRestored { note(occurrence.classes, of: key) }
        }
    }

    /// Another message is for whoever is listed when it begins. So is one whose schedule goes by another kind of time.
    func noteOtherMessages(_ content: LifeRun.Content) {
        for case .send(let send) in content.plans.flatMap(\.plan.steps).map(\.work) where !send.isResumed {
            for campaign in files.campaigns where campaign.name == send.campaign {
                let key = key(of: campaign, send.occurrence)
                guard let before = opened[key] else { continue }
                let isSame = before.digest == send.contentDigest && before.isLocal == (send.waves != nil)
                if !isSame { opened[key] = nil }
            }
        }
    }

    /// Whom the state has the firing for. Nobody at all means that it is for everybody who is listed.
    func note(_ classes: Partition<MessageClass>, of key: Key) {
        guard !classes.isEmpty else { return begun[key] = nil }
        let members = known.installations(of: classes.all)
        begun[key] = (members, begun[key]?.at ?? now)
    }

    /// Neither whom the files suppress nor whom a person had forgotten gets a message, and nobody gets another's.
    func checkWish(
        of target: Registration, for campaign: LifeFiles.Campaign, _ title: String, name: String?
    ) throws {
        var audience: String?
        if case .audience(let name) = campaign.target { audience = name }
        let isGuest = runFiles.guests(of: campaign).contains(target.recipientKey)
        // Whom the audience excludes has a row all the same.
        let hasRow = runFiles.audiences.contains {
            $0.name == audience && $0.installations.contains(target.recipientKey)
        }
        if let name, name != (isGuest && !hasRow ? LifeFiles.sampleName : files.name(of: target.recipientKey)) {
            throw LifeProblem(
                promise: "calls everybody by name",
                words: "\(number(of: target.recipientKey)) is called \(name) in '\(title)'")
        }
        let isSuppressed = files.suppressed(in: audience).contains(target.recipientKey)
        guard isSuppressed || forgotten.contains(target) else { return }
        throw LifeProblem(
            promise: isSuppressed ? "wakes nobody who is suppressed" : "wakes nobody who was forgotten",
            words: "'\(title)' came to \(number(of: target.recipientKey))")
    }

    func key(of campaign: LifeFiles.Campaign, recorded occurrence: RecordedOccurrence) -> Key {
        campaign.isDaily
            ? Key(line: campaign.line, due: occurrence.shownDue)
            : Key(line: campaign.line, revision: occurrence.revision)
    }

    func key(of campaign: LifeFiles.Campaign, _ occurrence: OccurrenceID?) -> Key {
        guard campaign.isDaily else { return Key(line: campaign.line, revision: campaign.revision) }
        return Key(line: campaign.line, due: occurrence?.due)
    }

    /// The line that the state knows under a name.
    func campaign(recordedAs name: String) -> LifeFiles.Campaign? {
        let all = files.campaigns + deletedCampaigns
        return all.first { lines[$0.line]?.seenName == name } ?? all.first { $0.name == name }
    }
}
