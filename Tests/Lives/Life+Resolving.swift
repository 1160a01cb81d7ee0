import FCM
import HeraldTestSupport

@testable import HeraldCore

/// What a person decides about occurrences and registrations.
extension Life {
    func resolve(_ random: inout SeededRandom) async throws {
        let state = known.state
        let open = state.occurrences.filter {
            !$0.value.uncertain.isEmpty || !$0.value.rejected.isEmpty
                || $0.value.finished == nil && $0.value.hasTried
        }
        guard let id = open.keys.sorted().randomElement(using: &random), let occurrence = open[id] else { return }
        var ways: [Resolution] = [.accept, .resend, .abandon, .goOn]
        ways += occurrence.codes.keys.sorted().map { .retry(code: $0) }
        if let way = ways.randomElement(using: &random) { try await resolve(id, way) }
    }

    /// Returns whether it could be resolved so.
    @discardableResult
    func resolve(_ id: OccurrenceID, _ way: Resolution) async throws -> Bool {
        guard let occurrence = known.state.occurrences[id] else { return false }
        let run = newRun(LifeFate())
        guard try await herald(["state", "resolve", "\(id)"] + way.arguments, run) == nil else { return false }
        try await look()
        tell("resolve \(id) \(way)")
        noteDecision(way, about: id)
        toldMissed.remove(id)
        tellings.toldMissed = tellings.toldMissed.mapValues { $0.filter { $0.key != id } }
        givenUp.remove(id)
        for note in run.now.notes { try noteStages(note, of: run.now, byPerson: true) }
        guard let campaign = campaign(recordedAs: occurrence.campaign) else { return true }
        let key = key(of: campaign, recorded: occurrence)
        givenUpFirings.remove(key)
        if let classes = known.state.occurrences[id]?.classes, classes != occurrence.classes { note(classes, of: key) }
        // At another time of one that is due once, what was seen before does not count.
        if !campaign.isDaily, known.state.occurrences[id]?.local != occurrence.local { clocks[key.line]?.left = [:] }
        switch way {
        case .resend, .retry:
            // A person was told that some get it again. No run sends what no file asks for.
            guard files.campaigns.contains(where: { $0.line == key.line && $0.revision == occurrence.revision }) else {
                throw LifeProblem(promise: "promises to resend and does not", words: "no file asks for \(id) any more")
            }
            if case .retry(let code) = way {
                note((occurrence.codes[code] ?? []).subtracting(known.state.dead), of: key, isPromised: false)
            } else {
                note(occurrence.uncertain.subtracting(known.state.dead), of: key, isPromised: true)
            }
            // Whoever was not tried before it had ended gets nothing more of it.
            let untried = known.state.occurrences[id]?.codes[SkipReason.notTried.rawValue] ?? []
            excused[key, default: []].formUnion(known.installations(of: untried.subtracting(.target)))
        case .abandon: end(key)
        case .accept:
            // With that, nothing is open any more, but what was promised to others. Who is listed later is no part of it.
            // Who was to be sent it again has it, too.
            let accepted = known.installations(of: occurrence.uncertain.union(occurrence.ledger?.resent ?? []))
            let promised = lines[key.line]?.promised[key]?.subtracting(accepted)
            excused[key, default: []].formUnion(accepted)
            endIfDone(key, of: campaign)
            lines[key.line]?.promised[key] = promised
        case .goOn: break
        }
        return true
    }

    /// These recipients are to get it, again or at last.
    private func note(_ recipients: RecipientSet, of key: Key, isPromised: Bool) {
        let installations = recipients.contains(0) ? [] : known.installations(of: recipients)
        for installation in recipients.contains(0)
            ? Set((0..<population).map { Registration.fid($0).recipientKey })
            : installations
        {
            allowed[key, default: [:]][installation, default: 0] += 1
            resent += 1
            excused[key]?.remove(installation)
        }
        triedAgain[key, default: []].formUnion(installations)
        leftOut[key]?.subtract(installations)
        lines[key.line]?.over.remove(key)
        if isPromised { lines[key.line]?.promised[key, default: []].formUnion(installations) }
    }

    /// A person has herald leave out a registration that lives.
    func forget(_ random: inout SeededRandom) async throws {
        let registration = current(.random(in: 0..<population, using: &random))
        guard !alive([registration]).isEmpty, !buried.contains(registration),
            try await herald(["state", "forget", registration.rawValue], newRun(LifeFate())) == nil
        else { return }
        forgotten.insert(registration)
        try await look()
        tell("\(number(of: registration.recipientKey)) is forgotten")
    }

    /// A person takes it back, also what FCM said of an app that has come back.
    func revive(_ random: inout SeededRandom) async throws {
        let some = alive(forgotten.union(buried)).sorted { $0.rawValue < $1.rawValue }
        guard let registration = some.randomElement(using: &random),
            try await herald(["state", "revive", registration.rawValue], newRun(LifeFate())) == nil
        else { return }
        forgotten.remove(registration)
        buried.remove(registration)
        // What came due meanwhile may have ended without it.
        for key in begun.keys { excused[key, default: []].insert(registration.recipientKey) }
        try await look()
        let isLeft = fcm.now.groups[Self.groupName]?.contains(registration) == true
        if isLeft, known.snapshot.groups[Self.groupName]?.members.isEmpty ?? true { stranded.insert(registration) }
        tell("\(number(of: registration.recipientKey)) is revived")
    }

    /// A person keeps only counts of what is over. Nothing is sent again by that.
    func prune(_ random: inout SeededRandom) async throws {
        // What a follow-up goes by must stay.
        guard !files.areWrong, !files.campaigns.contains(where: { $0.follows != nil }) else { return }
        let age = ["1h", "12h", "2d"].randomElement(using: &random) ?? "2d"
        try await succeed(["state", "prune", "--older-than", age, "--auto-approve"])
        hasPruned = true
        // A follow-up that was deleted before cannot come back: nobody knows any more what it goes by.
        deletedCampaigns.removeAll { $0.follows != nil }
        tell("state prune --older-than \(age)")
    }
}

extension Resolution {
    /// As typed on the command line.
    fileprivate var arguments: [String] {
        switch self {
        case .accept: ["--accept"]
        case .resend: ["--resend"]
        case .abandon: ["--abandon"]
        case .goOn: ["--continue"]
        case .retry(let code): ["--retry", code]
        }
    }
}
