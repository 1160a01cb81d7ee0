import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Who of a personal campaign is sent what, who is left out, and when a guard asks.
struct PlannerPersonalTests {
    private func scenario(
        _ rows: [String], badRows: String = "error", variants: String = "", name: String = "mine",
        text: String = "{{ name }}"
    ) throws -> PlanScenario {
        let list = rows.enumerated().map { "\(Registration.fid($0 + 1).rawValue),\($1)\n" }.joined()
        let loaded = try WorkspaceLoader.load(files: [
            "c.yaml": """
            kind: audience
            name: members
            source: {file: l.csv}
            fields: {name: {}, locale: {type: locale}}
            ---
            kind: campaign
            name: \(name)
            target: {audience: members}
            personal: {fields: [name], locale: locale, default_locale: en, bad_rows: \(badRows)}
            message: {data: {text: "\(text)"}}
            locales: {it: {data: {text: "Ciao {{ name }}"}}}
            \(variants)

            """, "l.csv": "fid,name,locale\n" + list,
        ])
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        let workspace = try #require(loaded.workspace)
        var scenario = PlanScenario()
        scenario.desired = try Resolver.desired(
            of: workspace, ListedRecipients(try #require(try loaded.recipientIndex?.get())))
        return scenario
    }

    private static let people = ["Ann,it", "Bob,en", ",it", "Zoë,de"]
    private static let it = MessageClass(locale: "it")

    @Test func `a guard stops a campaign with bad rows and says how many`() throws {
        let plan = try scenario(Self.people).plan()
        #expect(plan.refusals.map(\.kind) == [.personalRows])
        #expect(plan.refusals.first?.actual == 1)
        #expect(plan.refusals.first?.name == "mine")
        let send = try #require(plan.sends.first)
        #expect(send.members == [1, 2, 4])
        #expect(send.leftOut.bad == [3])
        #expect(send.recipients == 3)
        #expect(send.classes == Partition(disjoint: [Self.it: [1], MessageClass(): [2, 4]]))
        #expect(send.assignment == send.classes)
        #expect(plan.steps.first?.work.planned == 4)
    }

    @Test(arguments: [("skip", ["Ann,it", ",en"]), ("error", ["Ann,it", "Bob,en"])])
    func `no guard where bad rows are to be skipped, or there are none`(_ badRows: String, _ rows: [String]) throws {
        #expect(try scenario(rows, badRows: badRows).plan().refusals.isEmpty)
    }

    @Test func `the guard speaks where no row makes a message`() throws {
        let plan = try scenario([",it", ",en"]).plan()
        #expect(plan.refusals.map(\.kind) == [.personalRows])
        #expect(plan.sends.map(\.members) == [[]])
    }

    @Test func `a campaign that the guard stops fills no cap, unless a person lets it through`() throws {
        let cap = FrequencyCap(name: "all", max: 1, per: .seconds(3600))
        var scenario = try scenario(Self.people)
        scenario.settings.frequencyCaps = [cap]
        scenario.desired.sends[0].campaign.delivery.frequency.priority = 9
        var other = Campaign.tide("other", to: .audience("members"))
        other.delivery.frequency.caps = [cap]
        scenario.want(other, for: [1, 2, 3, 4])
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 4], [1, 2, 3, 4]])
        var overrides = Overrides()
        overrides.entries = [.init(kind: .personalRows, name: "mine")]
        scenario.policy = .stop(overrides)
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 4], [3]])
    }

    @Test func `max_recipients counts those who are sent to`() throws {
        var scenario = try scenario(Self.people, badRows: "skip")
        scenario.settings.guards.maxRecipients = 3
        #expect(scenario.plan().refusals.isEmpty)
        scenario.settings.guards.maxRecipients = 2
        #expect(scenario.plan().refusals.map(\.actual) == [3])
    }

    @Test func `a holdout is recorded, counted as skipped and sent nothing`() throws {
        let people = (1...200).map { "N\($0),en" }
        let variants = "variants: {a: {weight: 1}, none: {weight: 1, holdout: true}}"
        let plan = try scenario(people, variants: variants).plan()
        let send = try #require(plan.sends.first)
        let held = try #require(send.assignment?[MessageClass(variant: "none", isHoldout: true)])
        #expect(held.count + send.members.count == 200)
        #expect(held.count > 50 && held.count < 150)
        #expect(held.intersection(send.members).isEmpty)
        #expect(send.leftOut.heldOut == held)
        #expect(!send.classes.states.contains(MessageClass(variant: "none", isHoldout: true)))
        #expect(plan.steps.first?.work.planned == 200)
    }

    @Test func `rows of the dead are in no figure`() throws {
        var scenario = try scenario([",en", ",it", "Ann,en", "Maximilian,en"])
        scenario.state.dead = [1, 2, 4]
        let proposal = scenario.proposal()
        #expect(proposal.plan.refusals.isEmpty)
        #expect(proposal.overview.personal.map(\.bad) == [0])
        #expect(proposal.overview.personal.map(\.locales) == [["en": 1]])
        #expect(proposal.overview.personal.map(\.firstBad) == [[]])
        #expect(proposal.overview.personal.map(\.longest) == [nil])
    }

    // MARK: Going on

    /// The state has the campaign's occurrence.
    ///
    /// - Parameter classes: who takes part, each with their text.
    private func begin(
        _ scenario: inout PlanScenario, _ classes: [MessageClass: RecipientSet],
        _ change: (inout RecordedOccurrence) -> Void
    ) throws {
        let campaign = try #require(scenario.desired.sends.first?.campaign)
        var occurrence = RecordedOccurrence(
            campaign: "mine", revision: 1, due: nil, contentDigest: campaign.contentDigest, target: "audience:members")
        occurrence.classes = Partition(disjoint: classes)
        change(&occurrence)
        scenario.state.occurrences["mine@once"] = occurrence
    }

    @Test func `an occurrence goes on with those who took part, as they were assigned`() throws {
        var scenario = try scenario(["Ann,en", "Bob,it", ",it", "Zoë,de", "New,it"])
        // 1 had the Italian text, 3 has a bad row, 6 left the list, 5 came later.
        try begin(&scenario, [Self.it: [1, 3], MessageClass(): [2, 4, 6]]) { $0.accepted = [2] }
        let plan = scenario.plan()
        #expect(plan.refusals.isEmpty)
        let send = try #require(plan.sends.first)
        #expect(send.members == [1, 4])
        #expect(send.classes == Partition(disjoint: [Self.it: [1], MessageClass(): [4]]))
        #expect(send.assignment == nil)
        #expect(send.leftOut.bad == [3])
        #expect(send.leftOut.gone == [6])
    }

    @Test func `of what goes on those are counted who are still sent it, in the text that they began with`() throws {
        var scenario = try scenario(["Ann,en", "Bob,it", ",it", "Zoë,de", "New,it", ",en"])
        // Bob's message is the largest, and he has it. So has 6, whose row is bad now.
        try begin(&scenario, [Self.it: [1, 3], MessageClass(): [2, 4, 6]]) { $0.accepted = [2, 6] }
        let personal = try #require(scenario.proposal().overview.personal.first)
        #expect(personal.locales == ["it": 1, "en": 1])
        #expect(personal.badRows == [.missing: 1])
        #expect(personal.firstBad.map(\.line) == [4])
        #expect(personal.longest == nil)
    }

    @Test(arguments: ["{weight: 1, holdout: true}", "{weight: 1}"])
    func `who is in a holdout stays out whatever the list and the file say`(none: String) throws {
        let people = (1...40).map { "N\($0),en" }
        var scenario = try scenario(people, variants: "variants: {a: {weight: 1}, none: \(none)}")
        let held = MessageClass(variant: "none", isHoldout: true)
        try begin(&scenario, [held: RecipientSet(3...40), MessageClass(variant: "a"): [1, 2]]) { $0.unknown = [1] }
        let proposal = scenario.proposal()
        #expect(proposal.plan.sends.map(\.members) == [[2]])
        #expect(proposal.overview.personal.map(\.variants) == [["a": 1]])
        #expect(proposal.overview.personal.map(\.heldOut) == [38])
    }

    @Test func `who took part stays so where nobody has an outcome any more`() throws {
        let variants = "variants: {a: {weight: 1}, none: {weight: 1, holdout: true}}"
        var scenario = try scenario((1...20).map { "N\($0),en" }, variants: variants)
        let recorded = [
            MessageClass(variant: "none", isHoldout: true): [3] as RecipientSet, MessageClass(variant: "a"): [1, 2],
        ]
        // As after 'state resolve --resend' of everybody that was tried.
        try begin(&scenario, recorded) { _ in }
        let send = try #require(scenario.plan().sends.first)
        #expect(!send.isResumed)
        #expect(send.members == [1, 2])
        #expect(send.assignment == Partition(disjoint: recorded), "the state opens it anew and forgets it")
        #expect(send.leftOut.heldOut == [3])
        // Another message is another matter.
        scenario.state.occurrences["mine@once"]?.contentDigest = "sha256:other"
        #expect(scenario.plan().sends.first?.assignment?.all == RecipientSet(1...20))
    }

    /// Its time came to the clock of 1, who waited for their window, before its schedule lost its field.
    @Test func `what goes by no clock any more is for all, not for those whose clock had come to it`() throws {
        var scenario = try scenario(Self.people, badRows: "skip")
        let local = LocalTime(year: 2025, month: 12, day: 1, hour: 9)
        try begin(&scenario, [Self.it: [1]]) {
            ($0.local, $0.due) = (local, local.firstInstant)
            $0.waves = Partition(disjoint: [PlanScenario.now: [1]])
        }
        scenario.state.occurrences["mine@2025-12-01T09:00"] = scenario.state.occurrences.removeValue(
            forKey: "mine@once")
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 4]])
    }

    @Test func `a row is checked for the text that was recorded`() throws {
        // The message needs no name, and the Italian text does.
        var scenario = try scenario([",en", "Bob,en", ",it"], text: "Hi")
        try begin(&scenario, [Self.it: [1, 2], MessageClass(): [3, 4]]) { $0.accepted = [4] }
        let send = try #require(scenario.plan().sends.first)
        #expect(send.classes == Partition(disjoint: [Self.it: [2], MessageClass(): [3]]))
        #expect(send.leftOut.bad == [1])
    }

    @Test(arguments: [[], [2]] as [RecipientSet])
    func `rows that are all bad do not end what is half done`(discovered: RecipientSet) throws {
        var scenario = try scenario(["Ann,en", ",en", ",en"])
        try begin(&scenario, [MessageClass(): [1, 2, 3]]) {
            $0.accepted = [1]
            $0[.intended] = discovered
        }
        let proposal = scenario.proposal()
        #expect(proposal.plan.over.isEmpty)
        #expect(proposal.plan.sends.allSatisfy { $0.members.isEmpty })
        #expect(proposal.plan.sends.map(\.discovered) == (discovered.isEmpty ? [] : [discovered]))
        let isTold = proposal.overview.warnings.contains { $0.contains("every row that is left is bad") }
        #expect(isTold == discovered.isEmpty)
        #expect(proposal.plan.sends.allSatisfy { $0.staysOpen }, "accounting for a crash does not end it")
    }

    @Test func `a bad row is skipped once others get it, and a corrected one joins another target`() throws {
        var before = try scenario(Self.people, badRows: "skip")
        let (first, now) = (try #require(before.plan().sends.first), PlanScenario.now)
        let work = try StepWork(.send(first), isDryRun: false, begun: now, now: now)
        before.state.apply(work.opening)
        #expect(before.state.occurrences["mine@once"]?.isUnbegun == true)
        before.state.apply(work.skippingBadRows + work.intent([1], at: now))
        before.state.apply([.outcome("mine@once", [1], .accepted)])
        #expect(before.state.occurrences["mine@once"]?.codes == ["bad_rows": [3]])
        var after = try scenario(["Ann,it", "Bob,en", "Cy,it", "Zoë,de"], badRows: "skip")
        after.state = before.state
        #expect(after.plan().sends.map(\.members) == [[2, 4]])
        after.state.apply([.assign("mine@once", Partition())])
        let send = try #require(after.plan().sends.first)
        #expect(send.members == [2, 3, 4] && send.returning == [3])
    }

    @Test func `who got a message for everybody is in no text of a campaign that became personal`() throws {
        var scenario = try scenario(["Ann,en", "Bob,it", "Zoë,de"])
        try begin(&scenario, [:]) { $0.accepted = [1] }
        let send = try #require(scenario.plan().sends.first)
        let unknown = MessageClass(locale: MessageClass.unknownLocale)
        #expect(send.assignment == Partition(disjoint: [Self.it: [2], MessageClass(): [3], unknown: [1]]))
        #expect(send.members == [2, 3] && send.classes.all == [2, 3])
    }

    /// A person let it go on with another target. 4 is not in that.
    @Test(arguments: [2, 4] as [RecipientID])
    func `whoever was refused before another target is tried again if it has them`(refused: RecipientID) throws {
        var scenario = try scenario(["Ann,en", "Bob,it", "Zoë,de"])
        try begin(&scenario, [:]) { occurrence in
            (occurrence.accepted, occurrence.rejected) = ([1], [refused])
            occurrence.codes = ["X": [refused]]
        }
        let first = try #require(scenario.plan().sends.first)
        #expect(first.members == ([2, 3] as RecipientSet).subtracting([refused]))
        scenario.state.apply([
            .assign("mine@once", try #require(first.assignment)), .outcome("mine@once", first.members, .accepted),
        ])
        let campaign = try #require(scenario.desired.sends.first?.campaign)
        scenario.state.apply(
            try scenario.state.changes(
                resolving: "mine@once", by: .retry(code: "X"), campaign: campaign, at: PlanScenario.now))
        let proposal = scenario.proposal()
        #expect(proposal.plan.sends.map(\.members) == (refused == 2 ? [[2]] : []))
        #expect(proposal.plan.sends.allSatisfy { $0.classes[Self.it] == [2] })
        #expect(proposal.plan.over.isEmpty)
        #expect(proposal.overview.warnings.contains { $0.contains("left the list") } == (refused == 4))
    }

    /// Target and variants were edited: the campaign has no holdout any more.
    @Test func `who is in a holdout gets nothing either when a person lets it go on with another target`() throws {
        var scenario = try scenario(["Ann,en", "Bob,it", "Zoë,de"])
        let held = MessageClass(variant: "none", isHoldout: true)
        try begin(&scenario, [held: [2, 7], MessageClass(variant: "a"): [1, 3]]) { occurrence in
            occurrence.accepted = [1]
            (occurrence.target, occurrence.contentDigest) = ("audience:others", "sha256:other")
        }
        let campaign = try #require(scenario.desired.sends.first?.campaign)
        scenario.state.apply(
            try scenario.state.changes(resolving: "mine@once", by: .goOn, campaign: campaign, at: PlanScenario.now))
        #expect(scenario.state.occurrences["mine@once"]?.counts.skips == [.heldOut: 2, .notTried: 1])
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [3] && send.returning == [3] && send.leftOut.count == 0, "\(send)")
    }

    private static let variants =
        "variants: {a: {weight: 1}, b: {weight: 1, message: {data: {text: Hey}}, locales: {it: {data: {text: Ehi}}}}}"

    /// It had ended for 1 and 2, and the campaign got variants before 2 was tried again. 3 joined since.
    @Test func `whoever is tried again gets a text of now`() throws {
        var scenario = try scenario(["Ann,en", "Bob,it", "Zoë,de"], variants: Self.variants)
        try begin(&scenario, [MessageClass(): [1, 2]]) { occurrence in
            occurrence.accepted = [1]
            occurrence.isReopened = true
        }
        scenario.state.apply([.outcome("mine@once", [2], .again)])
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [2] && send.classes.all == [2] && send.assignment?.all == [1, 2], "\(send)")
        #expect(send.classes.states.map(\.locale) == ["it"])
    }

    @Test func `a renamed campaign with variants is known by its message`() throws {
        let variants = Self.variants
        let before = try scenario(["Ann,en"], variants: variants).desired.sends[0].campaign
        var scenario = try scenario(["Ann,en"], variants: variants, name: "other")
        var occurrence = RecordedOccurrence(
            campaign: "mine", revision: 1, due: nil, contentDigest: before.contentDigest, target: "audience:members")
        occurrence.accepted = [1]
        occurrence.finished = PlanScenario.now
        scenario.state.occurrences["mine@once"] = occurrence
        #expect(scenario.plan().refusals.map(\.kind) == [.looksRenamed])
    }

    @Test func `what began with personal messages does not go on with one for everybody`() throws {
        var scenario = try scenario(["Ann,en"])
        try begin(&scenario, [Self.it: [1]]) { $0.accepted = [1] }
        var after = try #require(scenario.desired.sends.first?.campaign)
        after.personal = nil
        #expect(throws: ResolutionProblem.noMorePersonal) {
            try scenario.state.changes(resolving: "mine@once", by: .goOn, campaign: after, at: PlanScenario.now)
        }
    }
}
