import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Who is left of a half-done send when its message changed, and what they get.
struct PlannerGoneTextTests {
    /// The state has the campaign's occurrence, which began with another message.
    ///
    /// - Parameters:
    ///   - more: the campaign's keys besides its message.
    ///   - classes: who takes part, each with their text. 1 has it.
    private func scenario(
        _ rows: [String], _ more: String = "", classes: [MessageClass: RecipientSet]
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
            name: mine
            target: {audience: members}
            message: {data: {text: "{{ name }}"}}
            \(more.contains("personal:") ? "" : "personal: {fields: [name]}")
            \(more)

            """, "l.csv": "fid,name,locale\n" + list,
        ])
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        var scenario = PlanScenario()
        scenario.desired = try Resolver.desired(
            of: try #require(loaded.workspace), ListedRecipients(try #require(try loaded.recipientIndex?.get())))
        let campaign = try #require(scenario.desired.sends.first?.campaign)
        var occurrence = RecordedOccurrence(campaign, due: nil)
        occurrence.contentDigest = "sha256:other"
        occurrence.classes = Partition(disjoint: classes)
        occurrence.accepted = [1]
        scenario.state.occurrences["mine@once"] = occurrence
        return scenario
    }

    /// Nothing of it ends, and nothing is sent, before a person lets it go on.
    private func expectHeld(_ scenario: PlanScenario, _ left: Int) {
        for isPaused in [false, true] {
            var scenario = scenario
            scenario.state.pauses.everything = isPaused
            let plan = scenario.plan()
            #expect(plan.over.isEmpty && plan.sends.isEmpty, "\(plan)")
            #expect(plan.held.map(\.remaining) == [left])
            #expect(plan.held.allSatisfy { $0.reason.contains("its message, target or time changed since") })
        }
    }

    private func goOn(_ scenario: inout PlanScenario) throws {
        let campaign = try #require(scenario.desired.sends.first?.campaign)
        scenario.state.apply(
            try scenario.state.changes(resolving: "mine@once", by: .goOn, campaign: campaign, at: PlanScenario.now))
    }

    private static let four = ["Ann,en", "Bob,it", "Zoë,en", "Mia,it"]
    private static let (a, b) = (MessageClass(variant: "a"), MessageClass(variant: "b"))

    @Test func `variants that are removed hold it, and then everybody who is left gets the one text`() throws {
        // 5 is not on the list.
        var scenario = try scenario(Self.four, classes: [Self.a: [1, 2], Self.b: [3, 4, 5]])
        expectHeld(scenario, 3)
        try goOn(&scenario)
        let send = try #require(scenario.plan().sends.first)
        #expect(send.classes == Partition(disjoint: [MessageClass(): [2, 3, 4]]))
        #expect(send.leftOut.gone == [5])
        #expect(send.assignment == Partition(disjoint: [Self.a: [1], Self.b: [5], MessageClass(): [2, 3, 4]]))
    }

    private static let languages = """
        personal: {fields: [name], locale: locale, default_locale: en}
        locales: {it: {data: {text: "Ciao {{ name }}"}}}

        """

    @Test func `variants that are added hold it, and then everybody keeps their language`() throws {
        let variants = """
            variants:
              a: {weight: 1}
              b: {weight: 1, message: {data: {text: Hey}}, locales: {it: {data: {text: Ehi}}}}
            """
        // 3 reads Italian by now.
        var scenario = try scenario(
            ["Ann,en", "Bob,it", "Zoë,it", "Mia,en"], Self.languages + variants,
            classes: [MessageClass(locale: "it"): [2], MessageClass(): [1, 3, 4]])
        expectHeld(scenario, 3)
        try goOn(&scenario)
        let send = try #require(scenario.plan().sends.first)
        #expect(send.classes.members { $0.locale == "it" } == [2])
        #expect(send.classes.members { $0.locale == nil } == [3, 4])
        #expect(send.classes.states.allSatisfy { $0.variant != nil })
    }

    @Test func `a variant that becomes the holdout holds it, and then its people are held out`() throws {
        let none = MessageClass(variant: "none", isHoldout: true)
        var scenario = try scenario(
            Self.four, "variants: {a: {weight: 1, holdout: true}, none: {weight: 1}}",
            classes: [Self.a: [1, 2, 3], none: [4]])
        expectHeld(scenario, 0)
        try goOn(&scenario)
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        #expect(plan.over.isEmpty && send.members.isEmpty && send.leftOut.heldOut == [2, 3])
        let held = MessageClass(variant: "a", isHoldout: true)
        #expect(send.assignment == Partition(disjoint: [Self.a: [1], held: [2, 3], none: [4]]))
    }

    // MARK: Texts that the state does not have

    @Test func `whoever joined is no part of it after an edit, and whoever left gets it when they are back`() throws {
        // 2 and 5 are left, of whom 5 is not on the list. 3 and 4 are new.
        var scenario = try scenario(Self.four, classes: [MessageClass(): [1, 2, 5]])
        try goOn(&scenario)
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [2] && send.leftOut.gone == [5] && send.assignment == nil, "\(send)")
        #expect(scenario.state.occurrences["mine@once"]?.classes.all == [1, 2, 5])
    }

    @Test func `a campaign that gets languages asks the rows of those who are left, and of nobody else`() throws {
        let rows = ["Ann,en", "Bob,it", "Zoë,en", "Mia,it"]
        var scenario = try scenario(rows, Self.languages, classes: [MessageClass(): [1, 2, 3, 5]])
        try goOn(&scenario)
        let send = try #require(scenario.plan().sends.first)
        #expect(send.classes == Partition(disjoint: [MessageClass(locale: "it"): [2], MessageClass(): [3]]))
        #expect(send.leftOut.gone == [5] && send.assignment?.all == [1, 2, 3, 5], "\(send)")
    }

    @Test func `a text that is corrected stays the text of those who had it, whatever their rows say now`() throws {
        let rows = ["Ann,en", "Bob,it", "Zoë,it", "Mia,en"]
        var scenario = try scenario(
            rows, Self.languages, classes: [MessageClass(locale: "it"): [2, 4], MessageClass(): [1, 3]])
        try goOn(&scenario)
        let send = try #require(scenario.plan().sends.first)
        #expect(send.classes == Partition(disjoint: [MessageClass(locale: "it"): [2, 4], MessageClass(): [3]]))
        #expect(send.assignment == nil)
    }

    /// 2 took part, and their row is bad by now. 3 is in the new target alone.
    @Test func `a bad row that comes with another target is asked about`() throws {
        var scenario = try scenario(["Ann,en", ",en", ",en", "Mia,it"], classes: [MessageClass(): [1, 2, 4]])
        scenario.state.occurrences["mine@once"]?.target = "audience:others"
        try goOn(&scenario)
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.kind) == [.personalRows] && plan.refusals.map(\.actual) == [1])
        #expect(plan.sends.map(\.members) == [[4]] && plan.sends.map(\.leftOut.bad) == [[2, 3]])
    }

    // MARK: Languages that are written in another way

    @Test func `everybody keeps their language where the message and a locale change places`() throws {
        let languages = """
            personal: {fields: [name], locale: locale, default_locale: it}
            locales: {en: {data: {text: "Hi {{ name }}"}}}

            """
        var scenario = try scenario(
            ["Ann,en", "Bob,en", "Zoë,it", "Mia,it"], languages,
            classes: [MessageClass(): [1, 2], MessageClass(locale: "it"): [3, 4]])
        expectHeld(scenario, 3)
        try goOn(&scenario)
        let send = try #require(scenario.plan().sends.first)
        #expect(send.classes == Partition(disjoint: [MessageClass(locale: "en"): [2], MessageClass(): [3, 4]]))
        #expect(send.leftOut == Plan.LeftOut())
    }

    /// 3 reads English by now.
    @Test(arguments: ["IT", "it_IT"])
    func `everybody keeps their language where its tag is written in another way`(_ key: String) throws {
        let languages = Self.languages.replacing("{it:", with: "{\(key):")
        var scenario = try scenario(
            ["Ann,en", "Bob,en", "Zoë,en", "Mia,it-IT"], languages,
            classes: [MessageClass(): [1, 2], MessageClass(locale: key == "IT" ? "it" : "it-IT"): [3, 4]])
        try goOn(&scenario)
        let send = try #require(scenario.plan().sends.first)
        #expect(send.classes == Partition(disjoint: [MessageClass(): [2], MessageClass(locale: key): [3, 4]]))
        #expect(send.leftOut == Plan.LeftOut())
    }
}
