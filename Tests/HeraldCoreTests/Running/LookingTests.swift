import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a run looks for while something else of it works.
@Suite struct LookingTests {
    private static let many = RecipientSet(101...700)

    private func laboratory() -> Laboratory {
        var laboratory = Laboratory(population: 700)
        laboratory.fcm.rate = .limited(10)
        laboratory.fcm.ramp = .zero
        return laboratory
    }

    /// First its seed, 1, then after `soak` the others.
    private func staged(_ name: String, soak: Double, seed: RecipientID = 1) -> DesiredSend {
        var stages = Stages()
        (stages.seeds, stages.soak) = (.init("phones"), .time(.seconds(soak)))
        var campaign = Campaign.tide(name, title: name)
        campaign.delivery.stages = stages
        var send = DesiredSend(campaign: campaign, members: RecipientSet(seed...(seed + 3)))
        send.seeds = [seed]
        return send
    }

    private let slow = DesiredSend(campaign: .tide("zz", title: "slow"), members: many)

    /// Who got which text, and when.
    private final class Sent: Sendable {
        private let log = Log<(title: String, recipient: RecipientID, at: Double)>()

        func sender(_ clock: ManualClock) -> ScriptedSender {
            ScriptedSender(isPrompt: true) { [log] request, number in
                let title = request.json["message"]?["notification"]?["title"]?.string ?? ""
                log.append((title, request.recipient, clock.now.offset.seconds))
                return title == "lost" ? .lost(reason: "reset") : .accepted(request, number)
            }
        }

        func recipients(_ title: String) -> [RecipientID] { log.entries.filter { $0.title == title }.map(\.recipient) }
        func times(_ title: String) -> [Double] { log.entries.filter { $0.title == title }.map(\.at).sorted() }
    }

    private func run(
        _ laboratory: Laboratory, _ sent: Sent, stop: @escaping @Sendable () -> Stop? = { nil },
        _ sends: @escaping @Sendable () -> [DesiredSend]
    ) async throws -> Report {
        try await laboratory.run(
            laboratory.plan(sends: sends()), sent.sender(laboratory.clock), stop: stop,
            lookAgain: { _, _ in laboratory.plan(sends: sends()) }, followsUp: true)
    }

    @Test func `a stage opens in time while another campaign is sent`() async throws {
        let (laboratory, sent) = (laboratory(), Sent())
        let report = try await run(laboratory, sent) { [self] in [staged("aa", soak: 3), slow] }
        let times = sent.times("aa")
        #expect(sent.recipients("aa").sorted() == [1, 2, 3, 4])
        #expect(times.dropFirst().allSatisfy { (3..<6).contains($0) }, "\(times)")
        #expect(sent.times("slow").count == 600 && (sent.times("slow").last ?? 0) > 55)
        #expect(report.result == .ok)
    }

    @Test func `a report does not say that a stage waits which the run sent`() async throws {
        let (laboratory, sent) = (laboratory(), Sent())
        let send = staged("aa", soak: 3)
        _ = try await laboratory.run(laboratory.plan(sends: [send]), sent.sender(laboratory.clock))
        #expect(sent.recipients("aa") == [1])
        let plan = laboratory.plan(sends: [send])
        #expect(plan.waiting.map(\.opensStage) == [true])
        let report = try await run(laboratory, sent) { [send] }
        #expect(sent.recipients("aa").sorted() == [1, 2, 3, 4])
        #expect(!report.notes.contains { $0.contains("waits until") }, "\(report.notes)")
    }

    @Test func `of two that soak, a run waits for both`() async throws {
        let (laboratory, sent) = (laboratory(), Sent())
        let report = try await run(laboratory, sent) { [self] in
            [staged("aa", soak: 3), staged("bb", soak: 20, seed: 11)]
        }
        #expect(sent.recipients("aa").sorted() == [1, 2, 3, 4] && sent.recipients("bb").sorted() == [11, 12, 13, 14])
        #expect(sent.times("bb").dropFirst().allSatisfy { (20..<23).contains($0) })
        #expect(report.result == .ok)
    }

    /// What follows a campaign is planned once that one is over.
    @Test func `what waits for a send that ends goes out while another one is sent`() async throws {
        let (laboratory, sent) = (laboratory(), Sent())
        let first = DesiredSend(campaign: .tide("aa", title: "first"), members: [1, 2])
        let next = DesiredSend(campaign: .tide("bb", title: "next"), members: [1, 2])
        let memory = laboratory.memory
        let report = try await run(laboratory, sent) { [slow] in
            memory.state().occurrences["aa@once"]?.finished == nil ? [first, slow] : [first, next, slow]
        }
        #expect(sent.recipients("next").sorted() == [1, 2])
        // At least every 10 s.
        #expect(sent.times("next").allSatisfy { $0 < 13 }, "\(sent.times("next"))")
        #expect(sent.times("slow").count == 600)
        #expect(report.result == .ok)
    }

    /// As a wave does: its people belong to an occurrence that is under way.
    @Test func `whoever a look adds to a send under way gets it in the same run`() async throws {
        let laboratory = laboratory()
        let (memory, sender) = (laboratory.memory, ScriptedSender(isPrompt: true) { .accepted($0, $1) })
        var send = Plan.Send.sample(Self.many)
        send.staysOpen = true
        var plan = laboratory.plan(.send(send))
        plan.nextDue = laboratory.now.adding(.seconds(20))
        let report = try await laboratory.run(
            plan, sender,
            lookAgain: { [send] now, _ in
                var rest = send
                let accepted = memory.state().occurrences[send.occurrence]?[.accepted] ?? []
                rest.members = send.members.union(RecipientSet(2...5)).subtracting(accepted)
                (rest.isResumed, rest.staysOpen) = (true, false)
                return laboratory.plan(.send(rest))
            })
        #expect(RecipientSet(sender.recipients) == Self.many.union(RecipientSet(2...5)))
        #expect(sender.recipients.count == 604)
        #expect(report.steps.map(\.planned) == [604] && report.steps.map(\.accepted) == [604])
        #expect(report.result == .ok)
    }

    /// Whom the run has given up, the next one tries.
    @Test func `a look tries nobody again whom the run has given up`() async throws {
        let (laboratory, sent) = (laboratory(), Sent())
        let lost = DesiredSend(campaign: .tide("aa", title: "lost", onUnknown: .resend), members: [1])
        let report = try await run(laboratory, sent) { [slow] in [lost, slow] }
        #expect(sent.recipients("lost") == [1])
        #expect(sent.times("slow").count == 600)
        let step = report.steps.first { $0.id == "send:aa@once" }
        #expect(step?.planned == 1 && step?.unknown == 1)
        #expect(step?.failures.map(\.action) == [.resendNextRun])
        #expect(report.result == .unknown)
        // So the report of this run knows all of it.
        #expect(laboratory.memory.state().triedAgain.isEmpty)
        _ = try await run(laboratory, sent) { [slow] in [lost, slow] }
        #expect(sent.recipients("lost") == [1, 1])
        #expect(laboratory.memory.state().triedAgain.keys.map(\.rawValue) == ["aa@once"])
    }

    @Test func `a person who stops a run that waits for a stage pauses nothing that is over`() async throws {
        let (laboratory, sent) = (laboratory(), Sent())
        let clock = laboratory.clock
        let report = try await run(
            laboratory, sent, stop: { clock.now.offset > .seconds(10) ? .person : nil },
            { [self] in [staged("aa", soak: 3), staged("bb", soak: 20, seed: 11)] })
        #expect(sent.recipients("aa").count == 4 && sent.recipients("bb") == [11])
        #expect(laboratory.memory.state().pauses.campaigns == ["bb"])
        #expect(report.result == .interrupted)
    }
}
