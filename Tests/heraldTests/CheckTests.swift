import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

@testable import HeraldCommands

/// What single checks make of what they are given, for set-ups that are hard to come by.
@Suite struct CheckTests {
    private static let now = Date(timeIntervalSince1970: 1_796_112_000)

    private static let zones: [(String?, Bool, CheckResult.Outcome, String?)] = [
        ("2026b", true, .ok, nil), ("2025c", true, .ok, nil), ("2019a", true, .warning, "Update the package tzdata."),
        (nil, true, .ok, nil), (nil, false, .error, "Install the package tzdata."),
        ("2026b", false, .error, "Install the package tzdata."),
    ]

    @Test(arguments: zones)
    func `time zones are there, and not old`(
        _ release: String?, _ isThere: Bool, _ outcome: CheckResult.Outcome, _ fix: String?
    ) {
        let result = ZoneCheck.result(release: release, isThere: isThere, at: Self.now)
        #expect(result.outcome == outcome)
        #expect(result.fix == fix)
    }

    private static let quotas: [(Int?, Rate, CheckResult.Outcome)] = [
        (nil, .limited(10_000), .skipped), (600_000, .limited(10_000), .ok), (599_999, .limited(10_000), .warning),
        (1, .unlimited, .ok),
    ]

    @Test(arguments: quotas)
    func `a rate above the quota is named`(_ quota: Int?, _ rate: Rate, _ outcome: CheckResult.Outcome) {
        let quota = quota.map { RecordedState.SendQuota(perMinute: $0, at: Self.now) }
        #expect(QuotaCheck.result(quota, rate: rate).outcome == outcome)
    }

    /// The clock here is at 08:00:00.
    private static let clocks: [(String, CheckResult.Outcome, String?)] = [
        ("08:00:00", .ok, nil), ("07:59:00", .ok, nil), ("08:01:00", .ok, nil),
        ("07:58:59", .warning, "1 min 1 s ahead"), ("07:55:00", .warning, "5 min ahead"),
        ("07:54:59", .error, "5 min ahead"), ("08:10:00", .error, "10 min behind"),
    ]

    @Test(arguments: clocks)
    func `a clock is right to the minute`(_ there: String, _ outcome: CheckResult.Outcome, _ words: String?) {
        let dates = ["nonsense", "Tue, 01 Dec 2026 \(there) GMT"]
        let result = ClockCheck.result(dates, at: Self.now, token: nil)
        #expect(result.outcome == outcome)
        if let words { #expect(result.found.hasSuffix(words)) }
    }

    @Test func `a clock that nobody compares is not judged`() {
        #expect(ClockCheck.result(["yesterday"], at: Self.now, token: nil).outcome == .skipped)
    }

    private static let proxies: [([String: String], String, String?, CheckResult.Outcome)] = [
        ([:], "https://fcm.example", nil, .ok), (["HTTPS_PROXY": ""], "https://fcm.example", nil, .ok),
        (
            ["HTTPS_PROXY": "http://user:secret@proxy.example:3128"], "https://fcm.example", "proxy.example:3128", .ok
        ),
        (["https_proxy": "proxy.example"], "https://fcm.example", "proxy.example:80", .ok),
        (["HTTPS_PROXY": "proxy.example", "NO_PROXY": "fcm.example"], "https://fcm.example", nil, .ok),
        (["HTTPS_PROXY": "http://:x"], "https://fcm.example", nil, .error),
        (["HTTPS_PROXY": "https://:secret@proxy.example"], "https://fcm.example", nil, .error),
        (["HTTPS_PROXY": "http://proxy.example:3128"], "http://127.0.0.1:9", nil, .ok),
    ]

    @Test(arguments: proxies)
    func `a proxy is named without its password`(
        _ environment: [String: String], _ endpoint: String, _ name: String?, _ outcome: CheckResult.Outcome
    ) throws {
        let check = ProxyCheck(to: try Endpoint(endpoint), environment: environment)
        #expect(check.name == name)
        #expect(check.result.outcome == outcome)
        #expect(!check.result.found.contains("secret"))
    }

    @Test func `a proxy that refuses is what to look at`() throws {
        let check = SendCheck(project: "p", endpoint: "https://fcm.googleapis.com", proxy: "proxy.example:3128")
        let refused = Exchange.notSent(reason: "the proxy proxy.example:3128 answered HTTP 407")
        let topic = try #require(TopicName(rawValue: "t"))
        let results = check.results(Verdict(send: refused, to: .topic(topic)))
        #expect(results[0].outcome == .error)
        #expect(results[0].found.contains("HTTP 407"))
        #expect(results[0].fix == "Look at the proxy proxy.example:3128 (HTTPS_PROXY) and at NO_PROXY.")
        #expect(results.dropFirst().allSatisfy { $0.outcome != .error })
    }

    /// Whoever reads doctor's answer has asked it already.
    @Test func `doctor never advises to run doctor`() throws {
        let send = SendCheck(project: "p", endpoint: "https://fcm.googleapis.com", proxy: nil)
        let read = ReadCheck(topicAPI: .auto)
        var results: [CheckResult] = []
        for code in FailureCode.allCases {
            let failure = Failure(code, message: "m")
            results += send.results(.stop(failure)) + send.results(.unauthenticated(failure))
            results += send.results(.unknown(failure))
            results += read.topics(.stop(failure)) + read.topics(.unauthenticated(failure))
            results.append(read.groups(.stop(failure), areUsed: true))
        }
        let topic = try #require(TopicName(rawValue: "t"))
        for status in [401, 403, 404, 429, 500, 503] {
            results += send.results(
                Verdict(send: .response(Response(status: status, body: [])), to: .topic(topic)))
        }
        let credential = FoundCredential(try MetadataServer(environment: [:]))
        let signIn = SignInCheck(credential: credential, project: "p")
        for code in FailureCode.allCases.map(\.rawValue) + SignInCode.allCases.map(\.rawValue) {
            results += signIn.results(.refused(code: code, detail: nil, clockLead: nil))
        }
        #expect(results.count > 100)
        for result in results {
            #expect(result.found.contains("doctor") == false && result.fix?.contains("doctor") != true, "\(result)")
        }
    }

    private static let lastRuns: [(Double?, CheckResult.Outcome, String)] = [
        (nil, .ok, "no run yet"), (1, .ok, "last run 1 h ago"), (72, .warning, "last run 3 d ago"),
    ]

    /// A run with nothing to do writes no report, and a test or a dry run writes one.
    @Test(arguments: lastRuns)
    func `who calls run is judged by the last run that the state knows`(
        _ hours: Double?, _ outcome: CheckResult.Outcome, _ words: String
    ) async throws {
        let folder = try TemporaryFolder()
        let binding = StateBinding(project: "tide-app", endpoint: .emulator, workspace: nil)
        let location = StateFile(path: "\(folder.path)/state.sqlite", binding) { _ in }
        try await location.initialize(created: Self.now)
        try FileManager.default.createDirectory(atPath: location.reports, withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: URL(filePath: "\(location.reports)/20261201T080000Z-test.json"))
        if let hours {
            let end = Self.now.addingTimeInterval(-hours * 3600)
            let run = RecordedRun(run: "r", started: end, finished: end, result: "ok", figures: [:])
            try await location.open(for: .changing).commit([.lastRun(run)])
        }
        let result = await StateCheck(location: location, runEvery: .seconds(300), now: Self.now).look().result
        #expect(result.outcome == outcome, "\(result)")
        #expect(result.found.hasSuffix(words), "\(result)")
    }

    private static let shares: [(Int, Int, CheckResult.Outcome)] = [
        (1000, 200, .ok), (1000, 210, .warning), (0, 0, .ok), (10, 10, .warning),
    ]

    @Test(arguments: shares)
    func `many dead registrations are a reason to look at the lists`(
        _ known: Int, _ dead: Int, _ outcome: CheckResult.Outcome
    ) {
        let lists = [ListCheck.List(name: "all.csv", changed: Self.now)]
        let result = ListCheck.result(lists, known: known, dead: dead, at: Self.now)
        #expect(result.outcome == outcome)
        #expect((result.fix?.contains("state export --dead") ?? false) == (outcome == .warning))
    }

    private static let groups: [(GroupVerdict?, Bool, CheckResult.Outcome)] = [
        (.notFound(Failure(.notFound, message: "m")), true, .ok),
        (.stop(Failure(.permissionDenied, message: "m")), true, .error), (nil, true, .error), (nil, false, .skipped),
    ]

    @Test(arguments: groups)
    func `groups need the project's number and a permission`(
        _ verdict: GroupVerdict?, _ areUsed: Bool, _ outcome: CheckResult.Outcome
    ) {
        #expect(ReadCheck(topicAPI: .auto).groups(verdict, areUsed: areUsed).outcome == outcome)
    }

    @Test(arguments: [("set it right", "Set it right."), ("'x' makes one", "'x' makes one."), ("See x.", "See x.")])
    func `what to do is told in a sentence`(help: String, sentence: String) {
        #expect(help.asSentence == sentence)
    }
}
