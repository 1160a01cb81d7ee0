import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// FCM refuses the messages of a personal campaign for what is in them.
@Suite struct PersonalRefusalTests {
    private static let people = RecipientSet(1...40)

    private func send(to members: RecipientSet) throws -> Plan.Send {
        var content = PersonalContent(
            message: ["data": ["name": "{{ name }}"]], fields: [Field(name: "name")], seed: "tide#1")
        content.variants = []
        var send = Plan.Send.sample(members)
        send.content = MessageContent(try PersonalMessages(content))
        send.classes = Partition(disjoint: [MessageClass(): members])
        send.assignment = send.classes
        return send
    }

    /// - Parameter detail: what the refusal says besides the code, as JSON.
    private func run(
        refusing isRefused: @escaping @Sendable (RecipientID) -> Bool, _ detail: String = aboutData,
        in laboratory: Laboratory = Laboratory(population: people.count)
    ) async throws -> StepReport {
        let sender = ScriptedSender(capacity: 1) { request, number in
            guard isRefused(request.recipient) else { return .accepted(request, number) }
            return .response(
                Response(
                    status: 400,
                    body: Array(
                        """
                        {"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Invalid value 'Ann'","details":[
                        {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"},
                        \(detail)]}}
                        """.utf8)))
        }
        let plan = laboratory.plan(.send(try send(to: Self.people)))
        let report = try await laboratory.run(
            plan, sender,
            rows: { _, ids in Dictionary(uniqueKeysWithValues: ids.map { ($0, FieldValues(["Ann"])) }) })
        return try #require(report.steps.first)
    }

    private static let aboutData = """
        {"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[
        {"field":"message.data[0].value","description":"Invalid value 'Ann'"}]}
        """

    private static func apple(_ reason: String) -> String {
        """
        {"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":400,"reason":"\(reason)"}
        """
    }

    @Test func `one recipient's message that is refused is that recipient's failure`() async throws {
        let step = try await run { $0 % 3 == 0 }
        #expect(step.rejected == 13)
        #expect(step.accepted == 27)
        #expect(step.pending == 0)
        #expect(step.stopped == nil)
    }

    @Test func `ten in a row stop the campaign`() async throws {
        let laboratory = Laboratory(population: Self.people.count)
        let step = try await run(refusing: { $0 > 5 }, in: laboratory)
        #expect(step.accepted == 5)
        #expect(step.rejected == 10)
        #expect(step.pending == 25)
        #expect(step.stopped?.words.contains("10 recipients in a row") == true)
        #expect(laboratory.memory.state().occurrences.values.map(\.halt) == [.rejected])
    }

    @Test(arguments: [("BadDeviceToken", false), ("DeviceTokenNotForTopic", false), ("PayloadEmpty", true)])
    func `refusals of devices do not stop the campaign`(_ reason: String, isAboutMessage: Bool) async throws {
        let step = try await run(refusing: { $0 > 5 }, Self.apple(reason))
        #expect(step.rejected == (isAboutMessage ? 10 : 35))
        #expect((step.stopped != nil) == isAboutMessage)
    }

    @Test func `the report keeps code and place, and not FCM's sentence`() async throws {
        let step = try await run { $0 == 7 }
        #expect(step.failures.map(\.code) == ["INVALID_ARGUMENT"])
        #expect(step.failures.map(\.message) == ["FCM refused it (in message.data[0].value)"])
    }

    @Test func `a refused step leaves whom it was to skip to the run that begins it`() async throws {
        let laboratory = Laboratory(population: Self.people.count)
        var send = try send(to: Self.people)
        send.members = RecipientSet(1...36)
        send.leftOut.gone = [37]
        send.leftOut.bad = [38, 39, 40]
        var plan = laboratory.plan(.send(send))
        plan.steps[0].refusal = "guard personal_rows"
        let report = try await laboratory.run(plan, ScriptedSender())
        let step = try #require(report.steps.first)
        #expect(step.planned == 40 && step.parts == [0, 0, 0, 0, 40, 0])
        #expect(step.leftOut == StepReport.LeftOutCounts())
    }

    @Test func `what a crash left and who left the list count in their texts`() async throws {
        let laboratory = Laboratory(population: Self.people.count)
        var send = try send(to: [1, 2])
        let (italian, held) = (MessageClass(locale: "it"), MessageClass(variant: "none", isHoldout: true))
        (send.discovered, send.isResumed, send.assignment) = ([3, 4], true, nil)
        (send.leftOut.gone, send.leftOut.bad) = ([5], [6])
        try await laboratory.memory.commit([
            .open(send.occurrence, RecordedOccurrence(send)),
            .assign(
                send.occurrence,
                Partition(disjoint: [MessageClass(): [1, 2, 3, 5], italian: [4, 6], held: [7]])),
            .outcome(send.occurrence, [3, 4], .intended),
        ])
        send.classes = Partition(disjoint: [MessageClass(): [1, 2]])
        let report = try await laboratory.run(
            laboratory.plan(.send(send)), ScriptedSender(),
            rows: { _, ids in Dictionary(uniqueKeysWithValues: ids.map { ($0, FieldValues(["Ann"])) }) })
        let step = try #require(report.steps.first)
        #expect([step.planned, step.accepted, step.unknown, step.skipped] == [6, 2, 2, 2])
        let (message, it) = (try #require(step.locales["message"]), try #require(step.locales["it"]))
        #expect([message.planned, message.accepted, message.unknown, message.skipped] == [4, 2, 1, 1])
        #expect([it.planned, it.accepted, it.unknown, it.skipped] == [2, 0, 1, 1])
        #expect(step.variants.isEmpty, "the run that began has counted the holdout")
    }

    @Test func `whom caps stop, who waits for them and who is too late count in their texts`() async throws {
        let laboratory = Laboratory(population: Self.people.count)
        let start = MessageStart(until: laboratory.now.adding(.seconds(-60)), tags: [])
        try await laboratory.memory.commit([.started("news@once", [37], start)])
        var send = try send(to: Self.people)
        send.members = RecipientSet(1...36)
        send.classes = Partition(disjoint: [MessageClass(): send.members])
        send.skipped = Partition(disjoint: [.capped("all"): [37, 38, 39], .missed: [40]])
        // 38 has had nothing that fills the cap.
        send.undecided = [37, 38]
        send.delivery.frequency.caps = [FrequencyCap(name: "all", max: 1, per: .seconds(86_400))]
        let report = try await laboratory.run(
            laboratory.plan(.send(send)), ScriptedSender(),
            rows: { _, ids in Dictionary(uniqueKeysWithValues: ids.map { ($0, FieldValues(["Ann"])) }) })
        let step = try #require(report.steps.first)
        #expect(step.parts == [36, 0, 0, 3, 0, 1])
        let figures = try #require(step.locales["message"])
        #expect([figures.planned, figures.accepted, figures.skipped, figures.pending] == [40, 36, 3, 1])
    }

    @Test func `each text has an account of its own`() async throws {
        let step = try await run { $0 == 7 }
        let figures = try #require(step.locales["message"])
        #expect([figures.planned, figures.accepted, figures.rejected, figures.pending] == [40, 39, 1, 0])
    }
}
