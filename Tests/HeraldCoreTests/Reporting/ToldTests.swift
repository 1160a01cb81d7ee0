import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What people are told: each change once.
@Suite struct ToldTests {
    private static let webhook = Webhook(address: "${HOOK}")
    private static let begin = Date(timeIntervalSince1970: 1_795_000_000)

    private static func state() -> RecordedState {
        RecordedState(
            identity: .init(lineage: "lineage", project: "p", endpoint: .emulator, created: begin))
    }

    private static func need(_ kind: Need.Kind, _ name: String, _ sentence: String = "It is so.") -> Need {
        Need(kind: kind, name: name, sentence: sentence, command: "herald run")
    }

    /// Any troubles that come and go, with webhooks that do not always take what they get.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `over any runs each change is told once, and each recovery once`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var (state, open): (RecordedState, Set<String>) = (Self.state(), [])
        var arrived: [Notice] = []
        let all: [(Need.Kind, String)] = [
            (.unknown, "a@once"), (.halted, "b@once"), (.stale, "members"), (.silenced, "c"), (.failed, ""),
            (.overdue, "d@once"),
        ]
        var expected: [String] = []
        for run in 0..<40 {
            let needs = all.filter { _ in Bool.random(using: &random) }.map { Self.need($0.0, $0.1, "In \(run): 🌊.") }
            let keys = Set(needs.filter { $0.change != nil }.map { "\($0.kind) \($0.name)" })
            expected += keys.subtracting(open).map { "new \($0)" } + open.subtracting(keys).map { "well \($0)" }
            open = keys
            var told = state.told
            var news = Told.News(
                run: "r\(run)", started: Self.begin, now: Self.begin.addingTimeInterval(Double(run)))
            (news.needs, news.areAll) = (needs, true)
            told.take(news, in: state, for: [Self.webhook])
            state.apply([.told(told)])
            // What the state keeps is read back as it was.
            #expect(state.told == told, "seed \(seed)")
            #expect(state.notes[.told]?.utf8.allSatisfy { $0 < 0x80 } == true, "any database can hold it")
            let taken = told.outbox.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
            let isNoted = Bool.random(using: &random)
            arrived += taken
            if isNoted { state.apply([.delivered(state.delivered.union(taken.map { $0.key(for: Self.webhook) }))]) }
        }
        let outstanding = Set(state.told.outbox.map(\.id))
        let told = Dictionary(grouping: arrived, by: \.id)
        #expect(Set(told.keys).union(outstanding).count == expected.count, "seed \(seed)")
        // The same news always has the same words.
        #expect(told.values.allSatisfy { Set($0).count == 1 }, "seed \(seed)")
        #expect(!arrived.contains { $0.sentence.contains("d@once") })
    }

    private static func end(_ name: String, at date: Date, in state: inout RecordedState) {
        let id = OccurrenceID(rawValue: name)
        let occurrence = RecordedOccurrence(campaign: "c", revision: 1, due: nil, contentDigest: "", target: "topic:t")
        state.apply([.open(id, occurrence), .outcome(id, [1, 2, 3], .accepted), .finish(id, at: date)])
    }

    @Test func `an occurrence that ends is told once, and none that ended before`() throws {
        var state = Self.state()
        func end(_ name: String, at date: Date) { Self.end(name, at: date, in: &state) }
        end("old@once", at: Self.begin.addingTimeInterval(-60))
        // A clock that was fast.
        end("older@once", at: Self.begin.addingTimeInterval(90_000))
        var told = Told()
        told.begin(at: Self.begin, in: state)
        end("new@once", at: Self.begin.addingTimeInterval(1))
        var news = Told.News(run: "r", started: Self.begin, now: Self.begin.addingTimeInterval(2))
        news.areAll = true
        told.take(news, in: state, for: [Self.webhook])
        #expect(told.outbox.map(\.change) == ["sent"] && told.outbox.first?.occurrence == "new@once")
        #expect(told.outbox.first?.figures == ["accepted": 3])
        state.apply([.delivered(Set(told.outbox.map { $0.key(for: Self.webhook) }))])
        (news.run, news.now) = ("s", Self.begin.addingTimeInterval(300))
        told.take(news, in: state, for: [Self.webhook])
        #expect(told.outbox.isEmpty)
        // A webhook for large sends only is not told.
        var large = Self.webhook
        large.minRecipients = 4
        end("next@once", at: Self.begin.addingTimeInterval(299))
        told.take(news, in: state, for: [large])
        #expect(told.outbox.isEmpty)
    }

    @Test func `a clock that was fast for a while hides no end, and tells none twice`() {
        var (state, told) = (Self.state(), Told())
        var sent: [String] = []
        // The second run has a clock that is two days fast.
        for (run, hours) in [0, 48, 1, 2, 48, 50].enumerated() {
            let begin = Self.begin.addingTimeInterval(Double(hours) * 3600)
            var news = Told.News(run: "r\(run)", started: begin, now: begin.addingTimeInterval(60))
            told.begin(at: begin, in: state)
            Self.end("\(run)@once", at: begin.addingTimeInterval(30), in: &state)
            news.areAll = true
            told.take(news, in: state, for: [Self.webhook])
            sent += told.outbox.compactMap(\.occurrence)
            state.apply([.told(told), .delivered(Set(told.outbox.map { $0.key(for: Self.webhook) }))])
        }
        #expect(sent == (0..<6).map { "\($0)@once" })
    }

    @Test func `what a slow clock noted and nobody took is told until a day after the end`() {
        var (state, told) = (Self.state(), Told())
        told.begin(at: Self.begin, in: state)
        // The run dies before it notes the end.
        Self.end("new@once", at: Self.begin.addingTimeInterval(3600), in: &state)
        var outboxes: [[String]] = []
        // The first of these has a clock that is 25 hours slow.
        for hours in [-23, 3, 24, 26] {
            let begin = Self.begin.addingTimeInterval(Double(hours) * 3600)
            told.begin(at: begin, in: state)
            let news = Told.News(run: "r\(hours)", started: begin, now: begin.addingTimeInterval(60))
            told.take(news, in: state, for: [Self.webhook])
            state.apply([.told(told)])
            outboxes.append(told.outbox.map(\.change))
        }
        #expect(outboxes == [["sent"], ["sent"], ["sent"], []])
    }

    @Test func `what a run notes as too late is told once, also if others are told before its end`() {
        var state = Self.state()
        let missed = Plan.Missed(occurrence: "tide@once", due: Self.begin, reason: "it is too late")
        var arrived: [String] = []
        // It is noted, two sends are stopped, and the run ends. The next one finds nothing.
        for (found, isEnd) in [([missed], false), ([], false), ([], false), ([missed], true), ([], true)] {
            var (told, news) = (state.told, Told.News(run: "r", started: Self.begin, now: Self.begin))
            (news.missed, news.isEnd) = (found, isEnd)
            told.take(news, in: state, for: [Self.webhook])
            let keys = told.outbox.map { $0.key(for: Self.webhook) }
            arrived += keys.filter { !state.delivered.contains($0) }
            state.apply([.told(told), .delivered(Set(keys))])
        }
        #expect(arrived.count == 1 && state.told.outbox.isEmpty, "\(arrived)")
    }

    @Test func `what is still in trouble in another way is not well`() {
        let state = Self.state()
        let all = Self.webhook
        var (held, halted) = (all, all)
        (held.changes, halted.changes) = ([.held], [.halted])
        var told = Told()
        var news = Told.News(run: "r0", started: Self.begin, now: Self.begin)
        news.areAll = true
        var heard: [[String]] = [[], [], []]
        for (run, kinds) in [[Need.Kind.unknown], [.halted], [.halted, .held], [.held], []].enumerated() {
            news.run = "r\(run)"
            news.needs = kinds.map { Self.need($0, "a@once") }
            let before = Set(told.outbox.map(\.id))
            told.take(news, in: state, for: [all, held, halted])
            for notice in told.outbox where !before.contains(notice.id) {
                for (place, webhook) in [all, held, halted].enumerated() where notice.concerns(webhook) {
                    heard[place].append(notice.ended.map { "well(\($0.change))" } ?? notice.change)
                }
            }
        }
        #expect(heard[0] == ["held", "halted", "held", "well(held)"])
        #expect(heard[1] == ["held", "well(held)", "held", "well(held)"])
        #expect(heard[2] == ["halted", "well(halted)"])
    }

    @Test func `a guard that refuses more is news, and one that refuses less is not`() {
        let state = Self.state()
        var told = Told()
        var news = Told.News(run: "r0", started: Self.begin, now: Self.begin)
        news.areAll = true
        var heard: [[String]] = []
        for (run, names) in [["a"], ["a", "b"], ["b"], ["b"], ["a", "b"], []].enumerated() {
            news.run = "r\(run)"
            var need = Self.need(.refused, names.first ?? "")
            (need.command, need.subjects) = ("herald apply --override audience_collapse", names)
            news.needs = names.isEmpty ? [] : [need]
            let before = told.outbox.count
            told.take(news, in: state, for: [Self.webhook])
            heard.append(told.outbox.dropFirst(before).map(\.change))
        }
        #expect(heard == [["held"], ["held"], [], [], ["held"], ["well"]])
    }

    @Test(arguments: [
        (Need.Kind.unknown, Resolution.resend, true), (.unknown, .accept, true), (.unknown, .retry(code: "X"), false),
        (.halted, .goOn, true), (.halted, .accept, false), (.held, .goOn, true), (.held, .accept, false),
    ])
    func `what comes about again after a person decided about it is told again`(
        _ kind: Need.Kind, _ way: Resolution, _ isNews: Bool
    ) {
        var (state, heard): (RecordedState, [[String]]) = (Self.state(), [])
        for run in 0..<5 {
            if run == 2 {
                var told = state.told
                told.decide(way, about: "a@once")
                state.apply([.told(told)])
            }
            var news = Told.News(run: "r\(run)", started: Self.begin, now: Self.begin)
            (news.needs, news.areAll) = (run == 4 ? [] : [Self.need(kind, "a@once")], true)
            var told = state.told
            let before = told.outbox.count
            told.take(news, in: state, for: [Self.webhook])
            heard.append(told.outbox.dropFirst(before).map(\.change))
            state.apply([.told(told)])
            #expect(state.told == told)
        }
        let change = kind == .halted ? "halted" : "held"
        #expect(heard == [[change], [], isNews ? [change] : [], [], ["well"]])
    }

    @Test func `a send that herald stops is news, whatever was told of it before`() {
        var told = Told()
        var news = Told.News(run: "r0", started: Self.begin, now: Self.begin)
        (news.needs, news.areAll) = ([Self.need(.halted, "a@once", "Its file was changed.")], true)
        told.take(news, in: Self.state(), for: [Self.webhook])
        var halt = Told.News(run: "r1", started: Self.begin, now: Self.begin)
        (halt.needs, halt.areNew) = ([Self.need(.halted, "a@once", "It was stopped.")], true)
        told.take(halt, in: Self.state(), for: [Self.webhook])
        news.run = "r1"
        told.take(news, in: Self.state(), for: [Self.webhook])
        #expect(told.outbox.map(\.sentence) == ["Its file was changed.", "It was stopped."])
    }

    @Test func `an end counts those whom FCM refused for now, also where that is everybody`() {
        var state = Self.state()
        var told = Told()
        told.begin(at: Self.begin, in: state)
        let id: OccurrenceID = "tide@once"
        let occurrence = RecordedOccurrence(campaign: "c", revision: 1, due: nil, contentDigest: "", target: "topic:t")
        state.apply([.open(id, occurrence), .outcome(id, [1, 2], .deferred), .finish(id, at: Self.begin)])
        told.take(Told.News(run: "r", started: Self.begin, now: Self.begin), in: state, for: [Self.webhook])
        #expect(told.outbox.map(\.change) == ["sent"] && told.outbox.first?.figures == ["rejected": 2])
    }

    /// What a run would say that it needs, as the state and the files are.
    private static func told(_ told: inout Told, _ scenario: PlanScenario, _ run: String) -> [String] {
        var news = Told.News(run: run, started: begin, now: begin)
        news.needs = Need.all(in: scenario.proposal(), [], lastRun: nil, every: .seconds(300), atWork: .thisRun)
        news.areAll = true
        let before = told.outbox.count
        told.take(news, in: scenario.state, for: [webhook])
        return told.outbox.dropFirst(before).map(\.change)
    }

    @Test func `who may have got it is told once, also when the rest of the send ends after that`() {
        let campaign = Campaign.tide(at: .after(-600))
        var (scenario, told) = (PlanScenario(), Told())
        scenario.want(campaign)
        scenario.began(campaign, accepted: [1], unknown: [2])
        told.begin(at: Self.begin, in: scenario.state)
        #expect(Self.told(&told, scenario, "r0") == ["held"])
        // It ended long before: nobody is told of the end itself.
        scenario.state.apply([.outcome(campaign.id, [3], .accepted), .finish(campaign.id, at: .after(-60))])
        #expect(Self.told(&told, scenario, "r1") == [])
    }

    @Test(arguments: [
        (["skipped": 1], false), (["missed": 1], false), (["rejected": 2, "accepted": 1], false),
        (["skipped": 1, "pending": 3], true), ([:], true),
        (["rejected": 2, "accepted": 1, "refused_memberships": 2], true),
    ])
    func `another run is asked for only where it may do better`(_ figures: [String: Int], _ isAsked: Bool) {
        let last = RecordedRun(
            run: "r0", started: Self.begin, finished: Self.begin, result: "failed", figures: figures)
        let needs = Need.all(
            in: PlanScenario().proposal(), [], lastRun: last, every: .seconds(300), atWork: .nobody)
        #expect(needs.contains { $0.kind == .failed } == isAsked)
    }

    @Test func `a send that is held is told once, also when its file says nothing of stages any more`() {
        let campaign = Campaign.tide(at: .after(-600))
        var (scenario, told, heard): (PlanScenario, Told, [[String]]) = (PlanScenario(), Told(), [])
        scenario.began(campaign, accepted: [1])
        var stages = Stages()
        stages.shares = [StageShare(millionths: 300_000), .everybody]
        scenario.state.apply(
            .stages(campaign.id, [RecordedStage(share: stages.shares[0], opened: .after(-600), planned: 1)]))
        for stages in [stages, nil] {
            var changed = Campaign.tide(at: .after(-600), title: "Low tide")
            changed.delivery.stages = stages
            scenario.desired.sends = []
            scenario.want(changed)
            heard.append(Self.told(&told, scenario, "r\(heard.count)"))
        }
        #expect(heard == [["held"], []])
    }

    @Test func `nothing is well again while nobody knows`() {
        let state = Self.state()
        var told = Told()
        var news = Told.News(run: "r", started: Self.begin, now: Self.begin)
        news.needs = [Self.need(.unknown, "a@once")]
        told.take(news, in: state, for: [Self.webhook])
        news.needs = [Self.need(.failed, "", "It failed.")]
        told.take(news, in: state, for: [Self.webhook])
        #expect(told.outbox.map(\.change) == ["held", "failed"])
        news.needs = []
        told.take(news, in: state, for: [Self.webhook])
        #expect(told.outbox.count == 2)
    }

    @Test(arguments: ["", "[]", "{}", #"{"outbox":[{}],"troubles":{"a":1},"since":"x","ended":{"a":"x"}}"#])
    func `a note that makes no sense is as good as none`(_ text: String) {
        var state = Self.state()
        state.apply([.note(.told, text), .note(.delivered, text)])
        #expect(state.told == Told() && state.delivered.isEmpty)
    }

    @Test func `Slack gets no text that could call a channel or look like a link`() throws {
        var notice = Notice.test(of: "r", at: Self.begin)
        notice.sentence = "<!channel> & <https://evil.example|click> \u{1B}[31m <\u{301}!here>"
        notice.command = "herald `run`"
        var webhook = Self.webhook
        webhook.form = .slack
        let body = notice.body(for: webhook, project: "<!here>", workspace: "w", hasReport: true)
        #expect(
            !body.contains("<!") && !body.contains("<https") && !body.contains("\\u001B") && !body.contains("`run`"))
        #expect(body.contains("&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;"))
        let json = try JSONValue(parsing: Array(body.utf8))
        #expect(json["blocks"]?.array?.count == 4)
    }
    @Test(arguments: ["&", "<", "a", "👩🏽‍🚒", "e\u{301}"], [1, 5, 9])
    func `Slack gets no block that is longer than it takes`(_ character: String, _ count: Int) throws {
        var notice = Notice.test(of: "r", at: Self.begin)
        (notice.sentence, notice.command) = (String(repeating: character, count: 9_000), "x")
        var webhook = Self.webhook
        (webhook.form, webhook.showsText) = (.slack, true)
        let texts = [String](repeating: notice.sentence, count: count)
        let body = notice.body(for: webhook, project: "p", workspace: "w", hasReport: true, texts: texts)
        let blocks = try #require(try JSONValue(parsing: Array(body.utf8))["blocks"]?.array)
        let shown = blocks.compactMap { $0["text"]?["text"]?.string }
        #expect(shown.count == 4 && shown.allSatisfy { $0.utf16.count <= 3_000 && $0.utf16.count > 0 })
        #expect(shown[1].hasSuffix("…"))
        guard character == "&" || character == "<" else { return }
        // What a block may have is used, and no mark is cut in two.
        #expect(shown[1].utf16.count > 2_800 && shown[1].dropLast().hasSuffix(";"))
        #expect(shown[2].utf16.count > 1_400)
    }
}
