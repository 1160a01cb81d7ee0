import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// `delivery.expires_after`, counted from the due time.
@Suite struct ExpiryTests {
    /// The message of a send that expires four hours after its due time, sent this long after that time.
    private func message(
        _ written: [String: JSONValue], sentAfter late: Duration = .zero, hasDue: Bool = true
    ) async throws -> JSONValue {
        let laboratory = Laboratory()
        var send = Plan.Send.sample([1], due: hasDue ? laboratory.now : nil, message: written)
        send.delivery.expiresAfter = .seconds(4 * 3600)
        laboratory.clock.advance(by: late)
        let sender = ScriptedSender()
        _ = try await laboratory.run(laboratory.plan(.send(send)), sender)
        return try #require(sender.requests.first?.json["message"])
    }

    // 2026-12-01T12:00:00Z is 1796126400.
    @Test func `it fills the three platforms' own fields`() async throws {
        let message = try await message(["data": ["a": "b"]])
        #expect(message["android"] == ["ttl": "14400s"])
        #expect(message["apns"] == ["headers": ["apns-expiration": "1796126400"]])
        #expect(message["webpush"] == ["headers": ["TTL": "14400"]])
        #expect(message["data"] == ["a": "b"])
    }

    @Test func `a late send has less time left and the same end`() async throws {
        let message = try await message(["data": ["a": "b"]], sentAfter: .seconds(3600))
        #expect(message["android"]?["ttl"] == "10800s")
        #expect(message["apns"]?["headers"]?["apns-expiration"] == "1796126400")
        #expect(message["webpush"]?["headers"]?["TTL"] == "10800")
    }

    @Test(arguments: [true, false])
    func `in a long step the last message has less time left and the same end`(hasDue: Bool) async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample([1, 2], due: hasDue ? laboratory.now : nil, message: ["data": ["a": "b"]])
        send.delivery.expiresAfter = .seconds(4 * 3600)
        let clock = laboratory.clock
        let sender = ScriptedSender(capacity: 1) { request, number in
            clock.advance(by: .seconds(3600))
            return .accepted(request, number)
        }
        _ = try await laboratory.run(laboratory.plan(.send(send)), sender)
        let messages = sender.requests.map { $0.json["message"] }
        #expect(messages.map { $0?["android"]?["ttl"] } == ["14400s", "10800s"])
        #expect(messages.map { $0?["webpush"]?["headers"]?["TTL"] } == ["14400", "10800"])
        #expect(messages.map { $0?["apns"]?["headers"]?["apns-expiration"] } == ["1796126400", "1796126400"])
    }

    @Test func `without a schedule it counts from now`() async throws {
        let message = try await message(["data": ["a": "b"]], hasDue: false)
        #expect(message["apns"]?["headers"]?["apns-expiration"] == "1796126400")
    }

    @Test func `what is set stays and what stands beside it too`() async throws {
        let message = try await message([
            "android": ["ttl": "60s", "priority": "HIGH"],
            "apns": ["headers": ["apns-expiration": "0", "apns-priority": "10"], "payload": ["aps": ["badge": 1]]],
            "webpush": ["headers": ["TTL": "30", "Urgency": "high"]],
        ])
        #expect(message["android"] == ["ttl": "60s", "priority": "HIGH"])
        #expect(
            message["apns"] == [
                "headers": ["apns-expiration": "0", "apns-priority": "10"], "payload": ["aps": ["badge": 1]],
            ])
        #expect(message["webpush"] == ["headers": ["TTL": "30", "Urgency": "high"]])
    }

    /// FCM refuses a message that has both.
    @Test func `a message of FCM's preview for Android gets its lifetime there`() async throws {
        let message = try await message(["android_v2": ["background_sync": [:]]])
        #expect(message["android"] == nil)
        #expect(message["android_v2"] == ["background_sync": [:], "ttl": "14400s"])
        let set = try await self.message(["android_v2": ["background_sync": [:], "ttl": "60s"]])
        #expect(set["android_v2"] == ["background_sync": [:], "ttl": "60s"])
    }

    /// Header names are compared without regard to case (RFC 9110 §5.1).
    @Test func `a header set in other letters is set`() async throws {
        let message = try await message([
            "apns": ["headers": ["APNS-Expiration": "0"]], "webpush": ["headers": ["ttl": "30"]],
        ])
        #expect(message["apns"] == ["headers": ["APNS-Expiration": "0"]])
        #expect(message["webpush"] == ["headers": ["ttl": "30"]])
    }

    @Test func `in its last moment a message still has a second`() async throws {
        let message = try await message(["data": ["a": "b"]], sentAfter: .seconds(4 * 3600) - .milliseconds(1))
        #expect(message["android"]?["ttl"] == "1s")
        #expect(message["webpush"]?["headers"]?["TTL"] == "1")
    }

    @Test func `without it the message is what its author wrote`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender()
        _ = try await laboratory.run(laboratory.plan(.send(.sample([1]))), sender)
        #expect(
            sender.requests.first?.json
                == ["message": ["notification": ["title": "High tide"], "fid": .string(Registration.fid(1).rawValue)]])
    }

    /// In local time. The clocks of the first five came to it 59 minutes ago, those of the others come to it now.
    /// The step may yield after that.
    @Test(arguments: [false, true])
    func `a wave that expires during a run is too late, and waits for no window`(_ yields: Bool) async throws {
        let laboratory = Laboratory()
        var (send, waves) = (Plan.Send.sample(1...10), Plan.Waves(local: LocalTime(year: 2026, month: 12, day: 1)))
        let end = laboratory.now.adding(.seconds(60))
        waves.reached = Partition(
            disjoint: [end.adding(.seconds(-3600)): RecipientSet(1...5), laboratory.now: RecipientSet(6...10)])
        send.waves = waves
        send.delivery.expiresAfter = .seconds(3600)
        send.closings = Partition(
            disjoint: [end: RecipientSet(1...5), laboratory.now.adding(.seconds(3600)): RecipientSet(6...10)])
        let clock = laboratory.clock
        let sender = ScriptedSender(capacity: 1) { request, number in
            try? await clock.sleep(for: .seconds(25))
            return .accepted(request, number)
        }
        var plan = laboratory.plan(.send(send))
        plan.nextDue = yields ? laboratory.now.adding(.seconds(70)) : nil
        let look: @Sendable (Date, [Plan.Send]) async -> Plan? = { now, _ in
            Plan(at: now, workspaceDigest: "", state: nil)
        }
        let report = try await laboratory.run(plan, sender, lookAgain: yields ? look : nil)
        // To three of the first at 0, 25 and 50 s.
        let step = report.steps[0]
        #expect(step.accepted == 8 && step.pending == 2)
        #expect(step.stopped == .tooLate(.expired(at: end)) && step.standing == nil)
        #expect(report.result != .ok)
        let occurrence = try #require(laboratory.memory.state().occurrences[send.occurrence])
        #expect(occurrence.byEntry == [.accepted: [1, 2, 3, 6, 7, 8, 9, 10]])
        #expect(occurrence.suspended == nil && occurrence.finished == nil)
    }
}
