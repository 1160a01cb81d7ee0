import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Which step is next, and how far each campaign's occurrences are done.
@Suite struct RunQueueTests {
    private static let topic = Plan.Send.sample([0], target: .topic("tides"))
    private let now = Moment(elapsed: .seconds(5), date: Laboratory.start)

    private func queue(_ works: Plan.Work...) -> RunQueue {
        var fcm = FCMSettings()
        fcm.propagationDelay = .seconds(60)
        var queue = RunQueue(RunOptions(fcm: fcm, guards: GuardLimits()), began: now.date.adding(.seconds(-5)))
        queue.insert(works.enumerated().map { .init(step: Plan.Step(work: $1, reason: ""), index: $0) })
        return queue
    }

    private func changed(_ seconds: Int) -> RecordedState {
        var state = RecordedState.blank
        state.topics["tides", default: RecordedTopic()].changed = now.date.adding(.seconds(-seconds))
        return state
    }

    private func words(_ turn: RunQueue.Turn) -> String {
        switch turn {
        case .begin(let place, let until): "begin \(place)" + (until.map { " until \(seconds($0))" } ?? "")
        case .wait(let until): "wait \(seconds(until))"
        case .giveUp(let place, _, let isHeld): "give up \(place)" + (isHeld ? ", held" : "")
        case .done: "done"
        }
    }

    private func seconds(_ date: Date) -> Int { Int(date.timeIntervalSince(now.date).rounded()) }

    @Test func `a send has the change of its topic done first, wherever that stands`() {
        let queue = queue(.send(Self.topic), .subscribe("a", [1]), .subscribe("tides", [1]))
        #expect(words(queue.next(at: now, .blank)) == "begin 2")
    }

    @Test func `a send waits out the propagation delay, and what is behind it is done until then`() {
        var queue = queue(.send(Self.topic), .subscribe("a", [1]))
        #expect(words(queue.next(at: now, changed(45))) == "begin 1 until 15")
        _ = queue.remove(at: 1)
        #expect(words(queue.next(at: now, changed(45))) == "wait 15")
        #expect(words(queue.next(at: now, changed(60))) == "begin 0")
        // If the clock is set back, the wait is one whole delay from the beginning of the run at most.
        #expect(words(queue.next(at: now, changed(-86_400))) == "wait 55")
        queue.noteChange(of: "tides", at: .seconds(4))
        #expect(words(queue.next(at: now, changed(86_400))) == "wait 59")
    }

    @Test func `nobody with an unknown outcome is sent to again while the request of a lost run may arrive`() {
        var (resumed, fresh) = (Plan.Send.sample([1, 2], onUnknown: .resend), Plan.Send.sample([3], campaign: "wind"))
        resumed.isResumed = true
        (fresh.delivery.onUnknown, fresh.isResumed) = (.hold, true)
        var options = RunOptions(fcm: FCMSettings(), guards: GuardLimits(), resendDelay: .seconds(20))
        func queue(_ options: RunOptions, _ sends: Plan.Send...) -> RunQueue {
            var queue = RunQueue(options, began: now.date.adding(.seconds(-5)))
            queue.insert(sends.enumerated().map { .init(step: Plan.Step(work: .send($1), reason: ""), index: $0) })
            return queue
        }
        #expect(words(queue(options, resumed, fresh).next(at: now, .blank)) == "begin 1 until 15")
        #expect(words(queue(options, resumed).next(at: now, .blank)) == "wait 15")
        let later = Moment(elapsed: .seconds(20), date: now.date)
        #expect(words(queue(options, resumed).next(at: later, .blank)) == "begin 0")
        // Who was not tried has nothing to wait for.
        resumed.isResumed = false
        #expect(words(queue(options, resumed).next(at: now, .blank)) == "begin 0")
        (resumed.isResumed, options.resendDelay) = (true, .zero)
        #expect(words(queue(options, resumed).next(at: now, .blank)) == "begin 0")
    }

    @Test func `a wait ends even if the clock stands still`() {
        var queue = queue(.send(Self.topic))
        queue.noteChange(of: "tides", at: .seconds(4))
        let later = Moment(elapsed: .seconds(64), date: now.date)
        #expect(words(queue.next(at: later, changed(0))) == "begin 0")
    }

    @Test(arguments: [1, 10, 100, 1_000])
    func `a wait that is too short for a date ends all the same`(nanoseconds: Int) {
        var queue = queue(.send(Self.topic))
        queue.noteChange(of: "tides", at: .seconds(4))
        let almost = Moment(elapsed: .seconds(64) - .nanoseconds(nanoseconds), date: now.date.adding(.seconds(59)))
        guard case .wait(let until) = queue.next(at: almost, changed(0)) else {
            Issue.record("the propagation delay is not over")
            return
        }
        #expect(until > almost.date)
    }

    @Test func `members leave a renamed topic after the joins, also for a send that came due meanwhile`() {
        var leave = Plan.Step(work: .unsubscribe("old", [1]), reason: "")
        leave.successor = "new"
        var queue = queue(.subscribe("new", [1]))
        queue.insert([.init(step: leave, index: 1)])
        queue.insert([.init(step: .init(work: .send(.sample([0], target: .topic("old"))), reason: ""), index: 2)])
        #expect(words(queue.next(at: now, .blank)) == "begin 2", "the joins of 'new'")
    }

    /// Random queues: topics, some of them renamed, sends to conditions, and sends that come due while it works.
    @Test(arguments: 0..<300)
    func `nothing begins before what it depends on`(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let topics = (0..<4).compactMap { TopicName(rawValue: "t\($0)") }
        let gone = (0..<4).compactMap { TopicName(rawValue: "gone\($0)") }
        var steps: [Plan.Step] = topics.flatMap { topic in
            [Plan.Work.subscribe(topic, [1]), .unsubscribe(topic, [2])].filter { _ in Bool.random(using: &random) }
                .map { Plan.Step(work: $0, reason: "") }
        }
        for old in gone where Bool.random(using: &random) {
            var leave = Plan.Step(work: .unsubscribe(old, [1]), reason: "")
            leave.successor = topics.randomElement(using: &random)
            steps.append(leave)
        }
        func send(_ number: Int) throws -> Plan.Step {
            let names = (topics + gone).shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
            let text = names.map { "'\($0)' in topics" }.joined(separator: " && ")
            let target = Campaign.Target.condition(try Condition(parsing: text))
            return Plan.Step(work: .send(.sample([0], campaign: "c\(number)", target: target)), reason: "")
        }
        for number in 0..<Int.random(in: 0...4, using: &random) { steps.append(try send(number)) }
        steps.shuffle(using: &random)
        var queue = queue()
        queue.insert(steps.enumerated().map { .init(step: $1, index: $0) })
        var now = now
        var coming = Int.random(in: 0...3, using: &random)
        for _ in 0..<100 {
            if coming > 0, Int.random(in: 0..<3, using: &random) == 0 {
                coming -= 1
                queue.insert([.init(step: try send(10 + coming), index: 100 + coming)])
            }
            switch queue.next(at: now, .blank) {
            case .begin(let place, _):
                let step = queue.remove(at: place).step
                let left = Set(queue.entries.compactMap(\.step.work.subject))
                #expect(step.work.needs.isDisjoint(with: left), "seed \(seed): \(step.id)")
                if let successor = step.successor {
                    #expect(!left.contains(.topic(successor)), "seed \(seed): \(step.id)")
                }
                if case .topic(let topic)? = step.work.subject { queue.noteChange(of: topic, at: now.elapsed) }
                var report = StepReport(step)
                report.accepted = report.planned
                queue.noteEnd(of: step, report)
            case .wait(let instant):
                now.elapsed += .seconds(instant.timeIntervalSince(now.date))
                now.date = instant
            case .giveUp(let place, let reason, _):
                Issue.record("seed \(seed): \(queue.remove(at: place).step.id): \(reason.words)")
            case .done: break
            }
        }
        #expect(queue.isEmpty, "seed \(seed)")
    }

    @Test func `a send that would be too late by then is given up`() {
        var late = Self.topic
        late.deadline = now.date.adding(.seconds(10))
        #expect(words(queue(.send(late)).next(at: now, changed(45))) == "give up 0")
    }

    @Test func `a send is held where somebody who was to leave is still there`() {
        var queue = queue(.send(Self.topic))
        let leave = Plan.Step(work: .unsubscribe("tides", [1, 2]), reason: "")
        var report = StepReport(leave)
        report.accepted = 1
        queue.noteEnd(of: leave, report)
        #expect(words(queue.next(at: now, .blank)) == "give up 0, held")
    }

    @Test func `nothing is left to do`() {
        #expect(words(queue().next(at: now, .blank)) == "done")
    }

    // MARK: Watermarks

    private func mark(_ seconds: Int) -> Watermark {
        Watermark(at: now.date.adding(.seconds(seconds)), schedule: "* * * * *", next: nil)
    }

    @Test func `a watermark is written once no send of its campaign waits to begin, and only once`() {
        var watermarks = Watermarks()
        watermarks.add(["tide": mark(0), "ebb": mark(0)])
        #expect(watermarks.due(waiting: ["tide"], recorded: [:]) == [.watermark("ebb", mark(0))])
        #expect(watermarks.due(waiting: [], recorded: [:]) == [.watermark("tide", mark(0))])
        #expect(watermarks.due(waiting: [], recorded: [:]).isEmpty)
    }

    @Test(arguments: [nil, -30] as [Int?])
    func `it stays before the first send that did not begin, and does not go back`(_ recorded: Int?) {
        var send = Self.topic
        send.due = now.date.adding(.seconds(-60))
        var watermarks = Watermarks()
        watermarks.add(["tide": mark(0)])
        watermarks.noteUnbegun(Plan.Step(work: .send(send), reason: ""))
        let changes = watermarks.due(waiting: [], recorded: recorded.map { ["tide": mark($0)] } ?? [:])
        var wanted = mark(recorded ?? -61)
        wanted.next = send.due
        #expect(changes == [.watermark("tide", wanted)])
    }

    @Test(arguments: [(-60, 0), (-61, -61)])
    func `a send that the state has does not keep it`(_ recorded: Int, _ wanted: Int) {
        var send = Self.topic
        send.due = now.date.adding(.seconds(-60))
        var watermarks = Watermarks()
        watermarks.add(["tide": mark(0)])
        watermarks.noteUnbegun(Plan.Step(work: .send(send), reason: ""), recorded: ["tide": mark(recorded)])
        let changes = watermarks.due(waiting: [], recorded: ["tide": mark(recorded)])
        var kept = mark(wanted)
        if wanted < 0 { kept.next = send.due }
        #expect(changes == [.watermark("tide", kept)])
    }

    @Test func `a plan without steps is written down as one with steps is`() {
        var plan = Plan(at: now.date, workspaceDigest: "", state: nil)
        plan.renames = [.init(old: "old", new: "new")]
        plan.watermarks = ["tide": mark(0)]
        plan.over = ["tide@once"]
        #expect(
            plan.bookkeeping(at: now.date) == [
                .rename(campaign: "old", to: "new"), .finish("tide@once", at: now.date),
                .watermark("tide", mark(0)),
            ])
    }
}
