import FCM
import Testing

@testable import HeraldCore

/// What is told to somebody who knows that something is in trouble again.
@Suite struct KnownTroublesTests {
    private static let begin = Date(timeIntervalSince1970: 1_795_000_000)

    private static func notice(
        _ id: String, _ change: String, _ keys: Set<String>, of occurrence: String? = nil,
        ending trouble: String? = nil, after seconds: Double = 0
    ) -> Notice {
        Notice(
            id: id, change: trouble == nil ? change : "well",
            ended: trouble.map { Notice.Trouble(change: change, id: $0) }, keys: keys,
            at: begin.addingTimeInterval(seconds), run: "r", occurrence: occurrence, sentence: "It is so.",
            figures: [:])
    }

    /// What is well again, what came about after that, and what becomes of the first for who knows of the second.
    @Test(
        arguments: [
            (["g a"], nil, "held", ["g a"], nil, "dropped"), (["g a"], nil, "held", ["g a", "g b"], nil, "dropped"),
            (["g a"], nil, "held", ["g b"], nil, "told"), (["g a", "g b"], nil, "held", ["g a"], nil, "waits"),
            // All troubles of an occurrence are one thing.
            (["held c@once"], "c@once", "halted", ["halted c@once"], "c@once", "dropped"),
            (["held c@once"], "c@once", "held", ["held d@once"], "d@once", "told"),
            (["g a"], nil, "held", ["held d@once"], "d@once", "told"), (["g a"], nil, "sent", [], "c@once", "told"),
            (["held c@once"], "c@once", "sent", [], "c@once", "told"),
            // An older herald did not say what it is about.
            ([], nil, "held", ["g a"], nil, "waits"), ([], nil, "failed", ["failed "], nil, "told"),
            ([], "c@once", "held", ["held c@once"], "c@once", "dropped"),
        ] as [(Set<String>, String?, String, Set<String>, String?, String)])
    func `what is well again is told only where nothing of it is in trouble again`(
        _ keys: Set<String>, _ occurrence: String?, _ change: String, _ newer: Set<String>, _ other: String?,
        _ fate: String
    ) {
        let well = Self.notice("w1", "held", keys, of: occurrence, ending: "t1", after: 1)
        let trouble = Self.notice("t1", "held", keys, of: occurrence)
        let known = KnownTroubles(from: Self.notice("t2", change, newer, of: other, after: 2))
        let dropped: [String] = fate == "dropped" ? ["w1"] : []
        #expect(known.outdated(among: [well]).map(\.id) == dropped)
        #expect(known.contradict(well) == (fate != "told"))
        // Who was not told that it was in trouble need not hear that it is over.
        let unheard: Set<String> = fate == "told" ? [] : ["t1", "w1"]
        #expect(Set(known.outdated(among: [trouble, well]).map(\.id)) == unheard)
        #expect(!known.contradict(trouble))
    }

    @Test func `a webhook knows of what concerns it and has arrived there`() {
        var held = Webhook(address: "${HOOK}")
        held.changes = [.held]
        let (a, b) = (Self.notice("t2", "held", [], after: 2), Self.notice("t3", "halted", [], after: 2))
        let well = Self.notice("w1", "held", ["a"], ending: "t1", after: 1)
        let other = Self.notice("w2", "held", ["b"], ending: "t0", after: 1)
        let known = KnownTroubles(of: held, in: ["a": a, "b": b], before: [well, other])
        #expect(known.outdated(among: [well, other]).map(\.id) == ["w1"])
        #expect(KnownTroubles(of: held, in: ["a": a], before: [well, a]).outdated(among: [well, a]).isEmpty)
        // An older herald did not note which trouble is over.
        let old = [Self.notice("t5", "held", []), Self.notice("w5", "held", [], ending: "", after: 1)]
        #expect(KnownTroubles(of: held, in: [:], before: old).outdated(among: old).isEmpty)
    }

    /// What nobody took until now, run after run, and what of it is told in the end.
    @Test(
        arguments: [
            ([[.held]], ["held 0"], ["held 0"]), ([[.held], [.halted]], ["halted 1"], ["held 0", "well 1"]),
            ([[.held], [.halted], [.held]], ["held 2"], ["held 0", "well 1", "held 2"]),
            ([[.held], [.halted, .held]], ["held 0", "halted 1"], ["held 0"]),
            ([[.held], [.halted], []], ["halted 1", "well 2"], ["held 0", "well 1"]),
            ([[.held], [], [.held]], ["held 0", "well 1", "held 2"], ["held 0", "well 1", "held 2"]),
        ] as [([[Need.Kind]], [String], [String])])
    func `a trouble that became another one before anybody took it is told only with its end`(
        _ runs: [[Need.Kind]], _ all: [String], _ onlyHeld: [String]
    ) {
        let state = RecordedState(
            identity: .init(lineage: "lineage", project: "p", endpoint: .emulator, created: Self.begin))
        var webhooks = [Webhook(address: "${HOOK}"), Webhook(address: "${OTHER}")]
        webhooks[1].changes = [.held]
        var told = Told()
        for (run, kinds) in runs.enumerated() {
            var news = Told.News(
                run: "\(run)", started: Self.begin, now: Self.begin.addingTimeInterval(Double(run)))
            news.areAll = true
            news.needs = kinds.map { Need(kind: $0, name: "c@once", sentence: "It is so.", command: "herald run") }
            told.take(news, in: state, for: webhooks)
        }
        for (webhook, expected) in zip(webhooks, [all, onlyHeld]) {
            let news = told.outbox.filter { $0.concerns(webhook) }
            let outdated = Set(
                KnownTroubles(of: webhook, in: told.current, before: news).outdated(among: news).map(\.id))
            #expect(news.filter { !outdated.contains($0.id) }.map { "\($0.change) \($0.run)" } == expected)
        }
    }

    @Test func `what of a guard was over before is well again with the rest`() {
        var state = RecordedState(
            identity: .init(lineage: "lineage", project: "p", endpoint: .emulator, created: Self.begin))
        var heard: [Notice] = []
        for (run, names) in [["a"], ["a", "b"], ["b"], [], ["b"], []].enumerated() {
            var told = state.told
            var news = Told.News(
                run: "r\(run)", started: Self.begin, now: Self.begin.addingTimeInterval(Double(run)))
            news.areAll = true
            let need = Need(
                kind: .refused, name: "", sentence: "It is so.", command: "herald apply --override audience_collapse",
                subjects: names)
            news.needs = names.isEmpty ? [] : [need]
            let before = told.outbox.count
            told.take(news, in: state, for: [Webhook(address: "${HOOK}")])
            heard += told.outbox.dropFirst(before)
            #expect(told.current.count == names.count)
            state.apply([.told(told)])
            #expect(state.told == told)
        }
        let (a, b) = ("guard audience_collapse a", "guard audience_collapse b")
        #expect(heard.map(\.change) == ["held", "held", "well", "held", "well"])
        let keys: [Set<String>] = [[a], [a, b], [a, b], [b], [b]]
        #expect(heard.map(\.keys) == keys)
    }
}
