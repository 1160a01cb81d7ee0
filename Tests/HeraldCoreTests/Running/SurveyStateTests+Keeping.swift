import FCM
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCore

/// What the state has of a survey that was ended.
extension SurveyStateTests {
    @Test func `a signal ends it, and what was answered is kept`() async throws {
        let sender = ScriptedSender { request, _ in Self.answer(Self.truth(Self.number(request))) }
        let report = try await ask(survey(), sender, stop: { sender.requests.count > 30 ? .person : nil })
        #expect(report.end == .interrupted)
        #expect(report.figures.asked.count == sender.requests.count)
        #expect(observed() == report.figures.asked)
    }

    @Test func `who differs counts only once it is settled`() async throws {
        let clock = lab.clock
        let sender = ScriptedSender { _, _ in Self.answer([]) }
        let report = try await ask(survey(), sender, stop: { clock.now.offset > .seconds(30) ? .machine : nil })
        #expect(report.end == .interrupted)
        #expect(report.requests == 100 && report.figures.asked.isEmpty && observed().isEmpty)
    }

    @Test(arguments: [false, true])
    func `until the end nobody is noted of whom only the report tells`(_ records: Bool) async throws {
        let noted = Mutex<[RecipientSet]>([])
        var copy = self
        copy.lab.store = ProbedStore(
            lab.memory, committed: { _, state in noted.withLock { $0.append(state.observed.all) } })
        let sender = ScriptedSender(isPrompt: true) { request, _ in
            switch Self.number(request) {
            case 1: Self.answer(["news"])  // left
            case 2: .unregistered
            case 60: Self.answer(["news", "surf"])  // foreign
            case let number: Self.answer(Self.truth(number))
            }
        }
        _ = try await copy.ask(copy.survey(.comparison(records: records)), sender)
        let (last, before) = noted.withLock { ($0.last, $0.dropLast().last) }
        #expect(last == RecipientSet(1..<101))
        #expect(before == RecipientSet(1..<101).subtracting(records ? [2, 60] : [1, 2, 60]))
    }

    @Test func `a budget of time ends first questions only`() async throws {
        var copy = self
        copy.lab.fcm.subscriptionRate = .limited(10)
        let sender = ScriptedSender { request, _ in
            Self.number(request) == 1 ? Self.answer(["news"]) : Self.answer(Self.truth(Self.number(request)))
        }
        let report = try await copy.ask(copy.survey(time: .seconds(3)), sender)
        #expect(report.end == nil)
        #expect((25...41).contains(report.figures.asked.count), "\(report.figures.asked.count)")
        #expect(report.figures["surf"].left == [1])
        #expect(report.pending == 100 - report.figures.asked.count)
    }

    @Test(arguments: [
        Exchange.json(502, "<html>"), .error(503, "UNAVAILABLE"), .json(200, "<html>"),
        .error(429, "RESOURCE_EXHAUSTED", retryAfter: "1800"),
    ])
    func `a budget of time ends questions that fail again and again`(_ answer: Exchange) async throws {
        let sender = ScriptedSender { request, _ in
            Self.number(request) == 1 ? answer : Self.answer(Self.truth(Self.number(request)))
        }
        let report = try await ask(survey(time: .seconds(120)), sender)
        #expect(lab.clock.now.offset < .seconds(240))
        #expect(report.figures.failed == [1])
    }

    @Test func `a state that cannot be written ends it`() async throws {
        var copy = self
        let probe = ProbedStore(lab.memory, refusesFrom: 0)
        copy.lab.store = probe
        let sender = ScriptedSender { request, _ in Self.answer(Self.truth(Self.number(request))) }
        let report = try await copy.ask(copy.survey(), sender)
        guard case .impossible = report.end else {
            Issue.record("\(String(describing: report.end))")
            return
        }
        #expect(observed().isEmpty)
    }

    /// Of 400, the state has asked for 151 to 400 before. The others come first, and all of them are dead: a killed call
    /// found that, and did not come to write it.
    private func afterKilledCall() throws -> Self {
        var copy = self
        copy.lab = Laboratory(population: 400)
        try copy.lab.memory.commit([
            .members("news", RecipientSet(1..<401), .managed, at: lab.now),
            .observed(RecipientSet(151..<401), at: RecordedState.observationTime(lab.now.adding(.seconds(-7200)))),
        ])
        return copy
    }

    @Test(arguments: [nil, 120, 50])
    func `the dead of a killed call do not keep the next one from going on`(_ limit: Int?) async throws {
        let copy = try afterKilledCall()
        let sender = ScriptedSender { request, _ in
            Self.number(request) <= 150 ? .unregistered : Self.answer(["news"])
        }
        let report = try await copy.ask(copy.survey(asking: RecipientSet(1..<401), limit: limit), sender)
        #expect(report.end == nil && report.pending == 0)
        let asked = sender.requests.map { Self.number($0) }
        // Nobody is asked twice. With a budget, 20 of those who answered last are asked besides.
        #expect(Set(asked).count == asked.count && asked.count == limit.map { $0 + 20 } ?? 400)
        #expect(report.figures.dead.count == limit ?? 150)
        #expect(report.figures.dead.subtracting(copy.observed()).isEmpty)
    }

    @Test func `where those who answered last are dead, too, it ends at once`() async throws {
        var copy = try afterKilledCall()
        // Otherwise all may be asked before the first answer is read.
        copy.lab.fcm.maxInFlight = 16
        let sender = ScriptedSender(isPrompt: true) { _, _ in .unregistered }
        let report = try await copy.ask(copy.survey(asking: RecipientSet(1..<401)), sender)
        guard case .impossible(let reason) = report.end else {
            Issue.record("\(String(describing: report.end))")
            return
        }
        #expect(reason.hasPrefix("FCM knows none of the first "))
        #expect(sender.requests.count < 400)
        #expect(copy.observed() == RecipientSet(151..<401))
    }

    @Test func `an answer that cannot be had from one of them does not let the others pass`() async throws {
        var copy = try afterKilledCall()
        // Otherwise all may be asked before the first answer is read.
        copy.lab.fcm.maxInFlight = 16
        let witness = copy.survey(asking: RecipientSet(1..<401)).witnesses.map(Int.init)
        let sender = ScriptedSender(isPrompt: true) { request, _ in
            witness.last == Self.number(request)
                ? .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT") : .unregistered
        }
        let report = try await copy.ask(copy.survey(asking: RecipientSet(1..<401)), sender)
        #expect(report.end != nil && sender.requests.count < 400)
    }

    @Test func `who differs before the hundredth dead is asked again after settle, and not before`() async throws {
        // FCM does not show tide yet, which was applied just now. All dead come before anybody else answers.
        let copy = try afterKilledCall()
        let witness = copy.survey(asking: RecipientSet(1..<401)).witnesses.map(Int.init)
        let (clock, begin) = (copy.lab.clock, copy.lab.clock.now)
        let isDelayed: @Sendable () -> Bool = { clock.now.offset < begin.offset + .seconds(30) }
        let sender = ScriptedSender { request, _ in
            let number = Self.number(request)
            if number <= 150 { return .unregistered }
            return witness.contains(number) && isDelayed() ? Self.answer([]) : Self.answer(["news"])
        }
        let report = try await copy.ask(copy.survey(asking: RecipientSet(1..<401)), sender)
        #expect(report.end == nil && report.figures.drifted == 0 && report.figures["news"].same == 250)
        #expect(report.requests == 400 + witness.count && report.pending == 0)
        let asked = sender.requests.map { Self.number($0) }
        #expect(witness.allSatisfy { number in asked.count { $0 == number } == 2 })
    }
}
