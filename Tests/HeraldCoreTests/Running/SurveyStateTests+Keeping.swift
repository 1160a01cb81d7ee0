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
        let sender = ScriptedSender { request, _ in
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
}
