import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A message that ignores caps, and counts, reaches people of another send that is under way or waits for its turn.
/// That send goes out over nobody's cap, also not to those who only wait for another try.
struct CapOvertakingTests: CapScene {
    let laboratory = Self.withoutRamp()

    private func send(
        _ name: String, to members: RecipientSet, priority: Int = 5, _ change: (inout Campaign) -> Void = { _ in }
    ) -> DesiredSend {
        var campaign = campaign(name, priority: priority)
        change(&campaign)
        return DesiredSend(campaign: campaign, members: members)
    }

    /// Ignores caps, and comes due that many seconds after the run began. Without a time it goes behind what is due.
    private func alarm(to members: RecipientSet, after seconds: Double? = nil) -> DesiredSend {
        send("alarm", to: members) { campaign in
            campaign.delivery.frequency.ignoresCaps = true
            if let seconds { campaign.schedule.times = .at(laboratory.now + seconds) }
        }
    }

    private func run(
        _ sends: [DesiredSend], _ sender: ScriptedSender, looksAgain: Bool = true
    ) async throws -> Report {
        let lookAgain: @Sendable (Date, [Plan.Send]) async -> Plan? = { now, underWay in
            Planner.plan(input(sends, underWay: underWay), at: now)
        }
        return try await laboratory.run(
            plan(sends), sender, lookAgain: looksAgain ? lookAgain : nil)
    }

    /// What a device's own quota refuses is not tried again for a minute. Nothing of it arrives.
    private static let quota = Exchange.json(
        429,
        """
        {"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[
          {"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"device:1"}]}]}}
        """)
    /// FCM may have delivered it all the same.
    private static let unavailable = Exchange.error(503, "UNAVAILABLE", fcm: "UNAVAILABLE")

    /// Answers so when the second person is sent the news for the first time.
    private func hesitating(_ answer: Exchange) -> ScriptedSender {
        let tries = Attempts()
        return ScriptedSender(isPrompt: true) { request, number in
            let isFirst = Self.title(request) == "news" && tries.next(of: request.recipient) == 0
            return isFirst && request.recipient == 2 ? answer : .accepted(request, number)
        }
    }

    private func tries(_ person: RecipientID, _ sender: ScriptedSender) -> Int {
        sender.requests.count { Self.title($0) == "news" && $0.recipient == person }
    }

    @Test(arguments: [(quota, [3, 0, 0, 1, 0, 0]), (unavailable, [3, 1, 0, 0, 0, 0])])
    func `who waits for another try is not sent it over a cap, and keeps what came of the first try`(
        _ answer: Exchange, _ parts: [Int]
    ) async throws {
        let sender = hesitating(answer)
        let report = try await run([send("news", to: [1, 2, 3, 4], priority: 9), alarm(to: [2, 3])], sender)
        #expect(tries(2, sender) == 1)
        #expect(report.steps.map(\.parts) == [parts, [2, 0, 0, 0, 0, 0]])
        #expect(laboratory.memory.state().occurrences.allSatisfy { $1.finished != nil })
    }

    @Test(arguments: [quota, unavailable])
    func `nobody is stopped by their own first try`(_ answer: Exchange) async throws {
        let sender = hesitating(answer)
        let report = try await run([send("news", to: [1, 2, 3, 4], priority: 9), alarm(to: [3])], sender)
        #expect(tries(2, sender) == 2)
        #expect(report.steps.map(\.parts) == [[4, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]])
    }

    @Test func `a run that does not look again leaves them to the next one`() async throws {
        let sender = hesitating(Self.quota)
        let sends = [send("news", to: [1, 2, 3, 4], priority: 9), alarm(to: [2])]
        let report = try await run(sends, sender, looksAgain: false)
        #expect(report.steps.map(\.parts) == [[3, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0]])
        #expect(report.steps[0].isStanding && report.result == .ok)
        let next = try await run(sends, sender, looksAgain: false)
        #expect(next.steps.map(\.parts) == [[0, 0, 0, 1, 0, 0]])
        #expect(tries(2, sender) == 1)
    }

    /// The news reach two people a second, and the alarm comes after two seconds.
    @Test(arguments: [[], [9]] as [RecipientSet])
    func `whom a slow message has not reached yet is decided about when the other has started`(
        _ refused: RecipientSet
    ) async throws {
        let news = send("news", to: Self.people) { $0.delivery.rate = .limited(2) }
        let sender = ScriptedSender(isPrompt: true) { request, number in
            Self.title(request) == "alarm" && refused.contains(request.recipient)
                ? .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH") : .accepted(request, number)
        }
        let report = try await run([news, alarm(to: Self.people, after: 2)], sender)
        let (some, all) = (refused.count, Self.people.count)
        let before = sender.requests.prefix { Self.title($0) == "news" }.count
        #expect((1..<9).contains(before))
        #expect(
            report.steps.map(\.parts) == [
                [before + some, 0, 0, all - before - some, 0, 0], [all - some, some, 0, 0, 0, 0],
            ])
        #expect(report.steps[0].leftOut.reasons == [.capped("all"): all - before - some])
        #expect(laboratory.memory.state().occurrences.allSatisfy { $1.finished != nil })
    }

    @Test func `who is to be sent something later in the run is judged again, too`() async throws {
        let long = send("long", to: RecipientSet(11...30), priority: 9) { $0.delivery.rate = .limited(2) }
        let sender = ScriptedSender()
        let report = try await run(
            [long, send("news", to: Self.people), alarm(to: [1, 2, 3], after: 2)], sender)
        #expect(report.steps.map(\.parts) == [[20, 0, 0, 0, 0, 0], [7, 0, 0, 3, 0, 0], [3, 0, 0, 0, 0, 0]])
        #expect(sender.requests.allSatisfy { Self.title($0) != "news" || $0.recipient > 3 })
    }

    /// Each person may have two. The first and the last ignore caps, or the one between counts for none.
    @Test(arguments: [false, true]) func `what comes later takes nobody's place`(_ isUncounted: Bool) async throws {
        let names = ["first", "mid", "last"]
        let sends = names.enumerated().map { place, name in
            send(name, to: Self.people, priority: 9 - place) { campaign in
                campaign.delivery.frequency.caps = [FrequencyCap(name: "all", max: 2, per: .seconds(86_400))]
                if name == "mid" { campaign.delivery.frequency.counts = !isUncounted }
                campaign.delivery.frequency.ignoresCaps = name != "mid" && !isUncounted
            }
        }
        let sender = ScriptedSender(isPrompt: true) { request, number in .accepted(request, number) }
        let report = try await run(sends, sender)
        #expect(report.steps.map(\.parts) == names.map { _ in [10, 0, 0, 0, 0, 0] })
    }

    @Test func `what counts for no cap stops nobody`() async throws {
        let sender = hesitating(Self.quota)
        var uncounted = alarm(to: Self.people)
        uncounted.campaign.delivery.frequency.counts = false
        let report = try await run([send("news", to: [1, 2, 3, 4], priority: 9), uncounted], sender)
        #expect(report.steps.map(\.parts) == [[4, 0, 0, 0, 0, 0], [10, 0, 0, 0, 0, 0]])
    }
}
