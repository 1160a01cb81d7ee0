import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A window that closes while a run sends.
@Suite struct ClosingWindowTests {
    private static let hours = DailyHours(from: 9 * 60, to: 21 * 60)

    /// Twenty recipients whose windows close at two times.
    private func send(_ laboratory: Laboratory, closing: [RecipientSet: Int]) -> Plan.Send {
        var send = Plan.Send.sample(1...10, due: laboratory.now)
        send.delivery.window = SendWindow(hours: Self.hours, zone: .utc, whenClosed: .wait)
        for (members, seconds) in closing { send.closings.move(members, to: laboratory.now.adding(.seconds(seconds))) }
        return send
    }

    /// Answers each request after 25 seconds, one by one.
    private func slow(_ laboratory: Laboratory) -> ScriptedSender {
        let clock = laboratory.clock
        return ScriptedSender(capacity: 1) { request, number in
            try? await clock.sleep(for: .seconds(25))
            return .accepted(request, number)
        }
    }

    @Test func `nothing starts from then on, and the rest waits without being a failure`() async throws {
        let laboratory = Laboratory()
        let send = send(laboratory, closing: [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]: 60])
        let sender = slow(laboratory)
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        // At 0, 25 and 50 s.
        #expect(sender.requests.count == 3)
        let step = report.steps[0]
        #expect(step.accepted == 3 && step.pending == 7 && step.held == 0)
        #expect(step.standing == .waiting && step.stopped == nil)
        #expect(step.note == "the window closed (09:00 to 21:00 UTC); it goes on when it opens")
        #expect(report.result == .ok)
        let occurrence = try #require(laboratory.memory.state().occurrences[send.occurrence])
        #expect(occurrence.finished == nil)
        #expect(occurrence.suspended == laboratory.start.adding(.seconds(60)))
        #expect(occurrence.byEntry == [.accepted: [1, 2, 3]])
        let xml = try ReportDocument(reading: ReportDocument(report).json.bytes()).junit
        #expect(xml.contains(#"tests="1" failures="0" errors="0" skipped="0""#), "\(xml)")
    }

    @Test func `whoever only waits is a skipped test, with the reason`() async throws {
        let laboratory = Laboratory()
        let send = send(laboratory, closing: [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]: 0])
        let report = try await laboratory.run(laboratory.plan(.send(send)), ScriptedSender())
        #expect(report.steps[0].pending == 10 && report.result == .ok)
        let xml = try ReportDocument(reading: ReportDocument(report).json.bytes()).junit
        #expect(xml.contains(#"tests="1" failures="0" errors="0" skipped="1""#), "\(xml)")
        #expect(xml.contains(#"<skipped message="the window closed (09:00 to 21:00 UTC); it goes on when it opens""#))
    }

    @Test func `those whose window is open go on`() async throws {
        let laboratory = Laboratory()
        let send = send(laboratory, closing: [[1, 2, 3, 4, 5]: 60, [6, 7, 8, 9, 10]: 600])
        let sender = slow(laboratory)
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        let occurrence = try #require(laboratory.memory.state().occurrences[send.occurrence])
        #expect(occurrence.byEntry == [.accepted: [1, 2, 3, 6, 7, 8, 9, 10]])
        #expect(report.steps[0].pending == 2 && report.result == .ok)
        #expect(occurrence.finished == nil)
        #expect(occurrence.suspended == laboratory.start.adding(.seconds(60)))
    }

    @Test func `a retry waits for the next opening`() async throws {
        let laboratory = Laboratory()
        let send = send(laboratory, closing: [[1]: 60, [2, 3, 4, 5, 6, 7, 8, 9, 10]: 6000])
        let sender = ScriptedSender { request, number in
            request.recipient == 1 ? .error(503, "UNAVAILABLE", retryAfter: "90") : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(sender.requests.count == 10)
        #expect(report.steps[0].accepted == 9 && report.steps[0].pending == 1)
        let occurrence = try #require(laboratory.memory.state().occurrences[send.occurrence])
        #expect(occurrence.byEntry == [.accepted: [2, 3, 4, 5, 6, 7, 8, 9, 10], .deferred: [1]])
        #expect(report.result == .ok && occurrence.finished == nil)
    }

    @Test func `intents that took until after the closing to write are taken back`() async throws {
        var laboratory = Laboratory()
        let send = send(laboratory, closing: [[1, 2]: 60, [3, 4, 5, 6, 7, 8, 9, 10]: 600])
        let clock = laboratory.clock
        laboratory.store = ProbedStore(
            laboratory.memory,
            committed: { changes, _ in
                for case .outcome(_, _, .intended?) in changes where clock.now.offset < .seconds(60) {
                    clock.advance(by: .seconds(60))
                }
            })
        let sender = ScriptedSender()
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(Set(sender.requests.map(\.recipient)) == Set(3...10))
        #expect(report.steps[0].pending == 2 && report.result == .ok)
        #expect(laboratory.memory.state().occurrences[send.occurrence]?.byEntry == [.accepted: RecipientSet(3...10)])
    }

    @Test func `a message lives until its recipient's window closes`() async throws {
        let laboratory = Laboratory()
        var send = send(laboratory, closing: [[1]: 60, [2]: 600, [3, 4, 5, 6, 7, 8, 9, 10]: 7200])
        send.delivery.expiresAfter = .seconds(3600)
        let sender = ScriptedSender()
        _ = try await laboratory.run(laboratory.plan(.send(send)), sender)
        let lifetimes = Dictionary(
            sender.requests.map { ($0.recipient, $0.json["message"]?["android"]?["ttl"]?.string) }
        ) { first, _ in first }
        #expect(lifetimes[1] == "60s")
        #expect(lifetimes[2] == "600s")
        #expect((3...10).allSatisfy { lifetimes[$0] == "3600s" })
    }

    @Test func `a run with several closings shares nothing, one with a single one tells it`() throws {
        let laboratory = Laboratory()
        let options = RunOptions(fcm: laboratory.fcm, guards: laboratory.guards)
        let shared = { (send: Plan.Send) in
            try StepWork(.send(send), isDryRun: false, begun: laboratory.now, now: laboratory.now)
                .shared(ramped: .zero, options)
        }
        #expect(try shared(send(laboratory, closing: [[1]: 60, [2]: 600])) == nil)
        let one = try #require(try shared(send(laboratory, closing: [[1, 2]: 60])))
        #expect(one.limits.closing == laboratory.now.adding(.seconds(60)))
        #expect(SharedSend(reading: Array(one.json.compactText.utf8))?.limits == one.limits)
    }
}
