import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a run reports while it goes on and afterwards.
@Suite struct ReportFigureTests {
    @Test func `a thousand failures are shown and every one is noted`() async throws {
        let laboratory = Laboratory(population: 1500)
        var send = Plan.Send.sample(1...1500)
        send.delivery.stopWhenRejectedPercent = 100
        let noted = Log<Report.Failure>()
        let report = try await laboratory.run(
            laboratory.plan(.send(send)),
            ScriptedSender { _, _ in .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT") },
            note: { _, failure in noted.append(failure) })
        #expect(report.steps[0].failures.count == 1000)
        #expect(report.steps[0].failuresOmitted == 500)
        #expect(noted.entries.count == 1500)
        #expect(Array(noted.entries.prefix(1000)) == report.steps[0].failures)
    }

    @Test func `the first thousand message ids are shown and every one is received`() async throws {
        let laboratory = Laboratory(population: 1200)
        let received = Log<String>()
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...1200))), ScriptedSender(),
            receive: { received.append($0.messageID) })
        #expect(report.steps[0].messageIDs.count == 1000)
        #expect(Set(received.entries).count == 1200)
        #expect(Array(received.entries.prefix(1000)) == report.steps[0].messageIDs)
    }

    @Test func `a receipt names step, fingerprint and message`() async throws {
        let laboratory = Laboratory()
        let received = Log<[String?]>()
        _ = try await laboratory.run(
            laboratory.plan(.send(.sample([1])), .send(.sample([0], campaign: "ebb", target: .topic("tides")))),
            ScriptedSender(), receive: { received.append([$0.step, $0.registration, $0.messageID]) })
        let fingerprint = Fingerprinter(key: laboratory.memory.fingerprintKey).name(.fid(1))
        #expect(received.entries == [["send:tide@once", fingerprint, "0"], ["send:ebb@once", nil, "1"]])
    }

    @Test func `a long run is observed every second and a step's end always`() async throws {
        var laboratory = Laboratory()
        laboratory.fcm.rate = .limited(10)
        laboratory.fcm.ramp = .zero
        let observed = Log<Report>()
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...60))), ScriptedSender(), observe: { observed.append($0) })
        let accepted = observed.entries.map { $0.steps[0].accepted }
        #expect((5...10).contains(observed.entries.count))
        #expect(accepted == accepted.sorted())
        #expect(observed.entries.dropLast().allSatisfy { $0.result == .running && $0.finished == nil })
        #expect(observed.entries.last == report)
    }

    // MARK: Guards

    private static func plan(_ refusals: GuardRefusal...) -> Plan {
        var plan = Plan(at: Laboratory.start, workspaceDigest: "", state: nil)
        plan.withheld = refusals
        return plan
    }

    private static func report(_ plan: Plan) -> Report {
        Report(
            run: "r", plan: plan, planDigest: "sha256:", isDryRun: false, started: plan.at, endpoint: .emulator,
            project: "p", version: "0")
    }

    private static func stale(_ audience: String, hours: Int) -> GuardRefusal {
        GuardRefusal(
            kind: .staleList, name: audience, limit: 24, actual: hours,
            message: "the list of audience '\(audience)' is \(hours) hours old")
    }

    @Test func `what a guard refuses is noted once, whatever its figures are by now`() {
        var report = Self.report(Self.plan(Self.stale("members", hours: 25)))
        report.noteLeftOut(of: Self.plan(Self.stale("members", hours: 26), Self.stale("anglers", hours: 26)))
        report.noteLeftOut(of: Self.plan(Self.stale("members", hours: 27), Self.stale("anglers", hours: 27)))
        #expect(report.notes == [Self.stale("members", hours: 25).reason, Self.stale("anglers", hours: 26).reason])
    }

    @Test func `a refusal with the words of another one is noted, too`() {
        let refusal = { (subject: Plan.Subject) in
            GuardRefusal(
                kind: .maxUnsubscribePercent, name: subject.name, limit: 30, actual: 40,
                message: "40 % would leave", subject: subject)
        }
        let report = Self.report(Self.plan(refusal(.topic("tides")), refusal(.group("tides"))))
        #expect(report.notes.count == 2)
        var later = Self.report(Self.plan(refusal(.topic("tides"))))
        later.noteLeftOut(of: Self.plan(refusal(.topic("tides")), refusal(.group("tides"))))
        #expect(later.notes.count == 2)
    }

    /// Ways in which a server may quote the recipient of a request.
    @Test(
        arguments: [
            { $0 }, { "no such token: \($0), sorry" }, { "(\($0)) and \($0)" },
            { $0.replacing(":", with: "%3A") }, { "/registrations/\($0.percentEncodedSegment)/topicSubscriptions" },
            { String($0.prefix(22)) }, { String($0.drop { $0 != ":" }.dropFirst()) },
        ] as [@Sendable (String) -> String])
    func `no registration gets into a report however the server quotes it`(
        quote: @escaping @Sendable (String) -> String
    )
        async throws
    {
        let laboratory = Laboratory(population: 0)
        try laboratory.memory.commit([.register([1: .token(1), 2: .token(2), 3: .fid(3), 4: .token(4)])])
        let sender = ScriptedSender { request, _ in
            let message = request.json["message"]
            let registration = message?["token"]?.string ?? message?["fid"]?.string ?? ""
            switch request.recipient {
            case 1: return .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT", message: quote(registration))
            case 2: return .error(500, quote(registration), message: quote(registration), retryAfter: "9999")
            case 3: return .error(403, "P", fcm: quote(registration), message: quote(registration))
            default: return .lost(reason: "cut")
            }
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...4))), sender)
        let document = ReportDocument(report)
        for text in [document.text(.plain), document.json.prettyText] {
            for number in 1...4 { #expect(!text.contains(Registration.fid(number).rawValue)) }
            #expect(!text.contains("APA91b"))
        }
        #expect(!report.steps[0].failures.isEmpty)
    }

    @Test func `a fingerprint is r_ and sixteen digits and depends on the key`() {
        let one = Fingerprinter(key: Array(0..<32)).name(.token(1))
        let other = Fingerprinter(key: Array(1..<33)).name(.token(1))
        #expect(one.wholeMatch(of: #/r_[0-9a-f]{16}/#) != nil)
        #expect(one != other)
        #expect(one == Fingerprinter(key: Array(0..<32)).name(.token(1)))
        #expect(one != Fingerprinter(key: Array(0..<32)).name(.token(2)))
    }

    @Test func `somebody who asks sees the registration itself`() {
        let revealing = Fingerprinter(key: Array(0..<32), reveals: true)
        #expect(revealing.name(.fid(1)) == Registration.fid(1).rawValue)
        #expect(revealing.redact("no \(Registration.fid(1).rawValue)", .fid(1)).contains(Registration.fid(1).rawValue))
    }
}
