import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Lives of a personal campaign: runs that die at any commit, and people who change the list, the campaign and the state
/// between them.
@Suite struct PersonalLifeTests {
    /// One person's row.
    private struct Row: Hashable {
        var name: String
        var locale: String
        var points: String

        /// Whether it makes a message in the text of a locale.
        func isGood(in locale: String?) -> Bool { !name.contains("\u{7}") && (locale != "it" || !points.isEmpty) }
    }

    private typealias List = [Int: Row]

    /// What one push said.
    private struct Push: Hashable {
        var person: Int
        var recipients: MessageClass
        var name: String
        var points: String
        var run: Int
    }

    /// What people edit in the campaign.
    private struct Edition: Hashable {
        /// Of `a`, `b` and `none`.
        var weights = [40, 40, 20]
        var isHoldout = true

        var text: String {
            let none = isHoldout ? "holdout: true" : "message: {data: {variant: none}}"
            return PersonalLifeTests.campaign + """
                  a: {weight: \(weights[0]), message: {data: {variant: a}}}
                  b: {weight: \(weights[1]), message: {data: {variant: b}}}
                  none: {weight: \(weights[2]), \(none)}

                """
        }
    }

    private static let campaign = """
        kind: audience
        name: members
        source: {file: members.csv}
        fields: {name: {max: 40}, locale: {type: locale}, points: {type: integer}}
        ---
        kind: campaign
        name: mine
        target: {audience: members}
        personal: {fields: [name, points], locale: locale, default_locale: en, bad_rows: skip}
        message: {data: {locale: message, name: "{{ name | default: 'you' }}"}}
        locales: {it: {data: {locale: it, points: "{{ points }}"}}}
        variants:

        """

    private static func list(_ random: inout SeededRandom) -> List {
        var list: List = [:]
        for person in 1...20 where Int.random(in: 0..<6, using: &random) > 0 {
            list[person] = Row(
                name: ["Ann", "", "\"B\" {{ name }}", "a\u{7}b", "Zoë"].randomElement(using: &random) ?? "",
                locale: ["en", "it", "it-CH", "xx", ""].randomElement(using: &random) ?? "",
                points: ["7", "12000", ""].randomElement(using: &random) ?? "")
        }
        return list
    }

    private static func csv(_ list: List, _ random: inout SeededRandom) -> String {
        let rows = list.sorted { $0.key < $1.key }.shuffled(using: &random).map { person, row in
            "\(Registration.fid(person).rawValue),\"\(row.name.replacing("\"", with: "\"\""))\",\(row.locale),\(row.points)\n"
        }
        return "fid,name,locale,points\n" + rows.joined()
    }

    private func wanted(_ csv: String, _ edition: Edition, _ store: MemoryStore) async throws -> Wanted {
        let loaded = try WorkspaceLoader.load(files: ["c.yaml": edition.text, "members.csv": csv])
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        let workspace = try #require(loaded.workspace)
        let index = try #require(try loaded.recipientIndex?.get())
        let wanted = try await Wanted(
            workspace, index, knownTo: store, as: store.snapshot(), noting: nil, keep: nil,
            sorted: { index })
        try await wanted.record(in: store)
        return wanted
    }

    private func run(
        _ laboratory: Laboratory, _ csv: String, _ edition: Edition = Edition(), number: Int, _ pushes: Log<Push>,
        receive: (@Sendable (Receipt) -> Void)? = nil
    ) async throws -> Report {
        let wanted = try await wanted(csv, edition, laboratory.memory)
        let sends = wanted.desiredOnceRecorded.sends
        let rows = sends.first?.rows
        let sender = ScriptedSender(capacity: 4) { request, number in
            guard case .send(let body) = request, let message = (try? JSONValue(parsing: body))?["message"],
                let data = message["data"]
            else { return .error(400, "INVALID_ARGUMENT") }
            let locale = data["locale"]?.string
            pushes.append(
                Push(
                    person: Int(request.recipient),
                    recipients: MessageClass(
                        locale: locale == "message" ? nil : locale, variant: data["variant"]?.string),
                    name: data["name"]?.string ?? "", points: data["points"]?.string ?? "", run: number))
            return .accepted(request, number)
        }
        return try await laboratory.run(
            laboratory.plan(sends: sends), sender, rows: { _, ids in try rows?.values(of: ids) ?? [:] },
            receive: receive)
    }

    /// What a person decides on the occurrence between two runs.
    ///
    /// - Returns: who may get it again.
    private func decide(
        _ csv: String, _ edition: Edition, in memory: MemoryStore, _ random: inout SeededRandom
    ) async throws -> RecipientSet {
        let state = memory.state()
        guard let occurrence = state.occurrences[Self.id],
            let resolution = [nil, .goOn, .resend].randomElement(using: &random) ?? nil as Resolution?
        else { return [] }
        let campaign = try await wanted(csv, edition, memory).desiredOnceRecorded.sends.first?.campaign
        let changes = try? state.changes(resolving: Self.id, by: resolution, campaign: campaign, at: Laboratory.start)
        guard let changes else { return [] }
        try memory.commit(changes)
        return resolution == .resend ? occurrence.ledger?.uncertain ?? [] : []
    }

    private static let id = OccurrenceID(rawValue: "mine@once")

    /// The recorded text of each person.
    private func recorded(in memory: MemoryStore) -> [Int: MessageClass] {
        guard let classes = memory.state().occurrences[Self.id]?.classes else { return [:] }
        let persons = persons(in: memory)
        var recorded: [Int: MessageClass] = [:]
        for recipients in classes.states {
            for id in classes[recipients] { recorded[persons[id] ?? 0] = recipients }
        }
        return recorded
    }

    private func persons(in memory: MemoryStore) -> [RecipientID: Int] {
        let classes = memory.state().occurrences[Self.id]?.classes ?? Partition()
        return memory.registrations(of: classes.all).mapValues { Int(Request.number(of: $0.rawValue)) }
    }

    @Test(arguments: 0..<120)
    func `whatever dies or changes, everybody gets one text at most, and the one that was recorded`(
        _ seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        var laboratory = Laboratory(population: 0)
        let memory = laboratory.memory
        let pushes = Log<Push>()
        var (list, edition) = (Self.list(&random), Edition())
        var lists = [list]
        laboratory.store = ProbedStore(memory, refusesFrom: Int.random(in: 0...9, using: &random))
        _ = try await run(laboratory, Self.csv(list, &random), number: 0, pushes)
        laboratory.store = memory
        var (again, asksRows): ([Int: Int], Bool) = ([:], false)
        for number in 1...3 {
            let before = recorded(in: memory)
            let hasTried = memory.state().occurrences[Self.id]?.hasTried ?? false
            if Bool.random(using: &random) { list = Self.list(&random) }
            if Int.random(in: 0..<3, using: &random) == 0 { edition.weights.shuffle(using: &random) }
            if Int.random(in: 0..<5, using: &random) == 0 { edition.isHoldout.toggle() }
            lists.append(list)
            let csv = Self.csv(list, &random)
            for id in try await decide(csv, edition, in: memory, &random) {
                again[persons(in: memory)[id] ?? 0, default: 0] += 1
            }
            let report = try await run(laboratory, csv, edition, number: number, pushes)
            #expect(report.steps.allSatisfy { $0.pending == 0 }, "run \(number)")
            for step in report.steps where step.planned > 0 && !step.locales.isEmpty {
                #expect(step.locales.values.map(\.accepted).reduce(0, +) == step.accepted, "run \(number)")
                #expect(step.locales.values.map(\.unknown).reduce(0, +) == step.unknown, "run \(number)")
            }
            let after = recorded(in: memory)
            guard hasTried else { continue }
            // Where nobody was to read Italian, that may be a new language, and rows choose.
            let isInAny = !before.values.contains { $0.locale == "it" }
            asksRows = asksRows || isInAny
            for (person, text) in before {
                // Their variant may have become a holdout before a person let it go on.
                let isHeldOut = edition.isHoldout && text.variant == "none" && after[person]?.isHoldout == true
                let mayDiffer = isInAny || text.locale == MessageClass.unknownLocale
                let isKept =
                    text.isSameText(as: after[person], inAnyLanguage: mayDiffer)
                    && (text.isHoldout == after[person]?.isHoldout || isHeldOut)
                #expect(isKept, "run \(number): who was recorded stays so")
            }
        }
        let occurrence = try #require(memory.state().occurrences[Self.id])
        let recorded = recorded(in: memory)
        for push in pushes.entries {
            #expect(push.recipients.isSameText(as: recorded[push.person], inAnyLanguage: asksRows), "\(push)")
            #expect(push.recipients.locale != "it" || !push.points.isEmpty, "\(push)")
        }
        let often = Dictionary(pushes.entries.map { ($0.person, 1) }, uniquingKeysWith: +)
        #expect(often.allSatisfy { $0.value <= 1 + (again[$0.key] ?? 0) })
        // Whoever takes part, is in no holdout and had a good row in every list was sent something or is unknown, unless
        // the campaign waits for a person.
        let tried = Set(occurrence.tried.map { persons(in: memory)[$0] ?? 0 })
        for (person, recipients) in recorded where !recipients.isHoldout && occurrence.finished != nil {
            let isAlwaysGood = lists.allSatisfy { $0[person]?.isGood(in: recipients.locale) ?? false }
            let isText =
                recipients.locale != MessageClass.unknownLocale && (!edition.isHoldout || recipients.variant != "none")
            #expect(!isAlwaysGood || !isText || tried.contains(person), "\(person)")
        }
        // Who is not part of it got nothing.
        #expect(Set(often.keys).isSubset(of: recorded.keys))
    }

    @Test func `a receipt names its text as the report does`() async throws {
        let receipts = Log<Receipt>()
        let rows = (1...20).map { "\(Registration.fid($0).rawValue),Ann,\($0.isMultiple(of: 2) ? "it" : "xx"),7\n" }
        let report = try await run(
            Laboratory(population: 0), "fid,name,locale,points\n" + rows.joined(), number: 0, Log<Push>(),
            receive: { receipts.append($0) })
        let texts = receipts.entries.compactMap(\.text)
        let step = try #require(report.steps.first)
        #expect(texts.count == step.accepted)
        #expect(Set(texts.map(\.locale)) == ["en", "it"])
        #expect(Set(texts.map(\.variant)) == ["a", "b"])
        for (locale, figures) in step.locales {
            #expect(texts.count { $0.locale == locale } == figures.accepted, "\(locale)")
        }
    }

    @Test func `a text has the name that the list has when it is sent`() async throws {
        let laboratory = Laboratory(population: 0)
        let pushes = Log<Push>()
        let names = ["Ann", " Zoë ", "", "\"B\" {{ name }} \\", "🎣 O'Neill"]
        let rows = names.enumerated().map { person, name in
            "\(Registration.fid(person + 1).rawValue),\"\(name.replacing("\"", with: "\"\""))\",it,1200\n"
        }
        _ = try await run(laboratory, "fid,name,locale,points\n" + rows.joined(), number: 0, pushes)
        let held = laboratory.memory.state().occurrences["mine@once"]?.classes.members { $0.variant == "none" }
        #expect(pushes.entries.count + (held?.count ?? 0) == names.count)
        let expected = ["Ann", "Zoë", "you", "\"B\" {{ name }} \\", "🎣 O'Neill"]
        for push in pushes.entries {
            #expect(push.name == expected[push.person - 1])
            #expect(push.recipients.locale == "it")
        }
    }
}

extension MessageClass {
    /// Whether both are of one text, whether it is sent or not.
    fileprivate func isSameText(as other: MessageClass?, inAnyLanguage: Bool) -> Bool {
        other.map { $0.variant == variant && (inAnyLanguage || $0.locale == locale) } ?? false
    }
}
