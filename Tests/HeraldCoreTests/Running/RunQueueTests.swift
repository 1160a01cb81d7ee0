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
        var queue = RunQueue(RunOptions(fcm: fcm, guards: GuardLimits()))
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
        // If the clock is set back, the wait is one whole delay at most.
        #expect(words(queue.next(at: now, changed(-86_400))) == "wait 60")
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
