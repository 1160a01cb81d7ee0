import FCM
import HeraldTestSupport

@testable import HeraldCore

/// Campaigns that open in stages: nobody gets it before their stage is open, and no stage opens before the one before
/// has soaked and was well, unless a person says so.
extension Life {
    /// Takes in what a run, or a person, has committed.
    func noteStages(_ note: LifeRun.Note, of content: LifeRun.Content, byPerson isPerson: Bool = false) throws {
        let date = Self.date(at: note.offset, skew)
        for change in note.changes {
            guard let id = change.ofStages else { continue }
            let campaign = content.campaign(of: id).flatMap { name in runFiles.campaigns.first { $0.name == name } }
            let problem = openings[id, default: LifeOpening()]
                .take(change, at: date, campaign?.staged, drawnBy: campaign?.drawSeed, byPerson: isPerson)
            if let problem, !isForgiven {
                throw LifeProblem(promise: "opens stage by stage", words: "\(id) at \(date.rfc3339): \(problem)")
            }
            if case .skip(_, let members, .missed) = change, let campaign {
                try checkTooLate(members, of: id, campaign, at: date)
            }
        }
    }

    /// A message to one person starts whose stage must be open. Who was tried before may have been in another stage.
    func checkStage(of key: Key, to person: RecipientKey, _ campaign: LifeFiles.Campaign, _ id: OccurrenceID?) throws {
        guard let id, let campaign = runFiles.campaigns.first(where: { $0.line == campaign.line }),
            let stages = campaign.staged, delivered[key]?[person] == nil, allowed[key]?[person] == nil,
            excused[key]?.contains(person) != true, !isForgiven
        else { return }
        let isSeed = runFiles.seeds(of: campaign).contains(person)
        let time = (key.due ?? campaign.at).map(campaign.words(for:)) ?? "once"
        let seed = openings[id]?.draw ?? campaign.drawSeed
        let share = isSeed ? .seeds : stages.share(of: person, seed: seed, time: time)
        guard let open = openings[id]?.share, share <= open else {
            throw LifeProblem(
                promise: "keeps closed stages waiting",
                words: "\(id) came to \(number(of: person)), whose stage is \(share.text)")
        }
    }

    /// Nobody is late for a stage that is closed.
    func isKeptByStage(_ missed: Plan.Missed, _ campaign: LifeFiles.Campaign, at date: Date) -> Bool {
        guard let stages = campaign.staged, campaign.expiresAfter == nil else { return false }
        return openings[missed.occurrence]?
            .keepsFromLateness(at: date, due: missed.due, campaign.maxLateness, stages) ?? false
    }

    /// Whether a firing has begun to open in stages. It ends when everybody has it, or when somebody says so.
    func opensInStages(_ key: Key, _ campaign: LifeFiles.Campaign) -> Bool {
        campaign.staged != nil && begun[key] != nil
    }

    /// What is known of stages is as old as the state now.
    func noteOlderStages() {
        for line in clocks.keys { clocks[line]?.forget() }
        openings = known.snapshot.occurrences.mapValues { LifeOpening(restored: $0) }
    }

    // MARK: People

    func editStages(_ random: inout SeededRandom) {
        guard let place = files.campaigns.indices.randomElement(using: &random) else { return }
        let audience = anyAudience(&random)
        if let stages = files.campaigns[place].stages {
            let isRemoved = Int.random(in: 0..<5, using: &random) == 0
            files.campaigns[place].stages = isRemoved ? nil : stages.edited(audience, &random)
        } else {
            files.campaigns[place].stages = .any(audience, &random)
        }
        tell("\(files.campaigns[place].name): \(files.campaigns[place].stages?.text ?? "no stages")")
    }

    /// A person decides about something that is halted, or waits for them.
    func decide(_ random: inout SeededRandom) async throws {
        let waiting = known.state.occurrences.filter { _, occurrence in
            occurrence.finished == nil && (occurrence.halt != nil || occurrence.stages.last?.isOver == true)
        }
        guard let id = waiting.keys.sorted().randomElement(using: &random) else { return }
        try await resolve(id, Int.random(in: 0..<4, using: &random) == 0 ? .abandon : .goOn)
    }

    // MARK: The end

    /// A person looks after what is held until every stage has opened. Then everybody whom it was for has it, or has an
    /// outcome.
    func restInStages() async throws {
        guard !files.areWrong else { return }
        let keys = stagedKeys
        for _ in 0..<60 where keys.contains(where: isOpen) {
            let plan = try await plan(at: now).proposal.plan
            for held in plan.held where held.kind == .halted || held.kind == .held {
                if try await !resolve(held.occurrence, .goOn) { try await resolve(held.occurrence, .abandon) }
            }
            let next = plan.waiting.map { $0.until.timeIntervalSince(now) }.filter { $0 > 0 }.min() ?? 660
            time.advance(by: .seconds(next.rounded(.up)))
            try await call(.apply(overrides: true))
        }
        guard !isForgiven else { return }
        for key in keys where isOpen(key) {
            guard let campaign = files.campaigns.first(where: { $0.line == key.line }) else { continue }
            // A plan says that there is nobody to send to.
            if files.target(of: campaign)?.isEmpty == true { continue }
            // Whose clock it had not reached is not known once its schedule goes by no clock of theirs. A plan says so.
            let recorded = known.state.occurrences.values.filter { self.key(of: campaign, recorded: $0) == key }
            if !campaign.isInLocalTime, recorded.contains(where: { $0.local != nil }) { continue }
            let got = Set((delivered[key] ?? [:]).keys).union(excused[key] ?? [])
            if let one = whom(key, campaign)?.intersection(reachable).subtracting(got).map({ number(of: $0) }).min() {
                throw LifeProblem(promise: "opens every stage at last", words: "\(words(key)) never came to \(one)")
            }
        }
    }

    /// The firings that have begun and open in stages. Some have begun before their time, because a clock was fast.
    private var stagedKeys: [Key] {
        let now = now
        return begun.keys.filter { key in
            files.campaigns.contains {
                $0.line == key.line && $0.isEnabled && !$0.isInLocalTime && opensInStages(key, $0)
                    && isCurrent(key, of: $0) && (key.due ?? $0.at ?? now) <= now
            }
        }
    }

    /// Whether no raised revision, nor a schedule of another kind, has a firing that has begun wait for a person.
    private func isCurrent(_ key: Key, of campaign: LifeFiles.Campaign) -> Bool {
        guard campaign.isDaily else { return key.due == nil && key.revision == campaign.revision }
        return known.state.occurrences.values.contains {
            self.campaign(recordedAs: $0.campaign)?.line == key.line && self.key(of: campaign, recorded: $0) == key
                && $0.revision == campaign.revision && !$0.isUnbegun
        }
    }

    private func isOpen(_ key: Key) -> Bool { lines[key.line]?.over.contains(key) != true }
}

extension LifeFiles {
    /// Who gets it before all others. Who is left out of everything gets nothing.
    func seeds(of campaign: Campaign) -> Set<RecipientKey> {
        guard let seeds = campaign.staged?.seeds else { return [] }
        let leftOut = suppressed().union(members(ofAudiences: excluded(from: campaign)))
        return members(ofAudience: seeds).subtracting(leftOut)
    }

    /// The seeds that are not among the target's own people.
    func guests(of campaign: Campaign) -> Set<RecipientKey> {
        seeds(of: campaign).subtracting(target(of: campaign) ?? [])
    }

    /// The audiences that the file leaves out of a campaign.
    private func excluded(from campaign: Campaign) -> [String] {
        if case .audience = campaign.target { campaign.exclude } else { [] }
    }
}

extension LifeFiles.Campaign {
    /// Its oldest name and its revision.
    var drawSeed: String { "\(previousNames.first ?? name)#\(revision)" }

    /// The stages that its file has. One request to many has none, and they must fit into `expires_after`.
    var staged: LifeStages? {
        guard isForEach, follows == nil, var stages, expiresAfter.map({ stages.soaking < $0 }) ?? true
        else { return nil }
        stages.soaksOnce = isInLocalTime
        return stages
    }
}

extension LifeRun.Content {
    /// The name of the campaign that an occurrence of its plans is of.
    func campaign(of id: OccurrenceID) -> String? {
        for step in plans.reversed().flatMap(\.plan.steps) {
            if case .send(let send) = step.work, send.occurrence == id { return send.campaign }
        }
        return nil
    }
}
