import FCM
import HeraldTestSupport
import Testing

/// Whole runs with each kind of credential, where something goes wrong at each endpoint that it signs in at.
///
/// In mid-run, at an exact moment, all tokens end. So every run that goes on signs in twice, however many requests wait
/// for the second token.
@Suite(.timeLimit(.minutes(5))) struct CredentialFaultTests {
    /// What happens to the request for the second token.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The `do` of the emulator's fault.
        let action: JSONValue
        /// How often the endpoint is asked once more.
        let repeats: Int
        var timeout = "15s"
    }

    private static let passing = [
        Fault(testDescription: "slow", action: ["delay_ms": 300], repeats: 0),
        Fault(testDescription: "slower than the timeout", action: ["delay_ms": 2500], repeats: 1, timeout: "2s"),
        Fault(testDescription: "a page with HTTP 500", action: ["status": 500, "body": "html"], repeats: 1),
        Fault(testDescription: "429", action: ["status": 429], repeats: 1),
        Fault(testDescription: "no answer", action: ["close": "after"], repeats: 1),
    ]

    private static let kinds = CredentialKind.all + [.metadata]

    /// Runs the body for all kinds at once: they mostly wait.
    private static func each(_ body: @escaping @Sendable (CredentialKind) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for kind in kinds { group.addTask { try await body(kind) } }
            try await group.waitForAll()
        }
    }

    private static func eachLeg(
        _ body: @escaping @Sendable (CredentialKind, _ leg: Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for kind in kinds {
                for leg in kind.legs.indices { group.addTask { try await body(kind, leg) } }
            }
            try await group.waitForAll()
        }
    }

    private static func script(_ leg: SignInLeg, _ action: JSONValue, isPassing: Bool) -> JSONValue {
        var match: [String: JSONValue] = [
            "service": "oauth", "endpoint": .string(leg.endpoint), "after": .int(Int64(leg.requests)),
        ]
        if isPassing { match["first"] = .int(Int64(leg.requests + 1)) }
        return [["match": .object(match), "do": action]]
    }

    // MARK: Tokens end

    @Test func `tokens that end in mid-run are renewed once, and everybody is reached once`() async throws {
        try await Self.each { try await Self.renew($0) }
    }

    private static func renew(_ kind: CredentialKind) async throws {
        let scene = try await CredentialScene(kind)
        let apply = try await scene.apply()
        let comment: Comment = "\(kind.name): \(apply.output)\(apply.errors)"
        #expect(apply.status == 0, comment)
        try scene.expectAccount(isComplete: true, comment)
        #expect(try await scene.control.signIns() == kind.signIns(2), comment)
        let answers = try await scene.control.requests()
        #expect(answers.contains { $0["status"]?.int == 401 }, "no token was refused")
        await scene.end()
    }

    // MARK: What passes

    @Test(arguments: passing)
    func `what passes at an endpoint is waited for, and only that endpoint is asked again`(_ fault: Fault) async throws
    {
        try await Self.eachLeg { try await Self.meet(fault, $0, $1) }
    }

    private static func meet(_ fault: Fault, _ kind: CredentialKind, _ leg: Int) async throws {
        let faulty = kind.legs[leg]
        var setting = CredentialScene.Setting()
        setting.timeout = fault.timeout
        let scene = try await CredentialScene(kind, setting)
        try await scene.control.put(faults: script(faulty, fault.action, isPassing: true))
        let apply = try await scene.apply()
        let comment: Comment = "\(kind.name), \(faulty.name): \(apply.output)\(apply.errors)"
        #expect(apply.status == 0, comment)
        try scene.expectAccount(isComplete: true, comment)
        var expected = kind.signIns(2)
        expected[faulty.endpoint, default: 0] += fault.repeats
        #expect(try await scene.control.signIns() == expected, comment)
        #expect(try await scene.control.faulted() == 1, "nothing went wrong")
        await scene.end()
    }

    // MARK: What does not pass

    @Test func `a credential that is revoked ends the run with Google's words, and the next run sends the rest`()
        async throws
    {
        try await Self.eachLeg { try await Self.revoke($0, $1) }
    }

    private static func revoke(_ kind: CredentialKind, _ leg: Int) async throws {
        let revoked = kind.legs[leg]
        let scene = try await CredentialScene(kind)
        try await scene.control.put(faults: script(revoked, revoked.revoked, isPassing: false))
        let first = try await scene.apply()
        let comment: Comment = "\(kind.name), \(revoked.name): \(first.output)\(first.errors)"
        #expect(first.status == 4, comment)
        let report = try scene.sandbox.folder.read("report.json")
        #expect(report.contains(revoked.sentence), comment)
        try scene.expectAccount(isComplete: false, comment)
        // The way ends at the endpoint that refuses.
        var expected = kind.signIns(1)
        for passed in kind.legs[...leg] { expected[passed.endpoint, default: 0] += 1 }
        #expect(try await scene.control.signIns() == expected, comment)
        try await scene.control.put(faults: [])
        let second = try await scene.apply()
        #expect(second.status == 0, "\(kind.name), \(revoked.name): \(second.output)\(second.errors)")
        try scene.expectAccount(isComplete: true, comment)
        await scene.end()
    }

    // MARK: Clocks

    /// The emulator's clock is off by so many seconds. Google refuses what was signed in its future; everything else
    /// goes through, and then the first run of a state stops, since campaigns come due by this machine's clock.
    @Test(arguments: [(-600.0, "10 min ahead"), (600.0, "10 min behind")])
    func `a clock that is off by 10 minutes ends the first run before anybody is sent to`(
        _ lead: Double, _ words: String
    ) async throws {
        try await Self.each { try await Self.miss(lead, words, $0) }
    }

    private static func miss(_ lead: Double, _ words: String, _ kind: CredentialKind) async throws {
        var setting = CredentialScene.Setting()
        (setting.lead, setting.isStrict, setting.endsTokens) = (lead, true, false)
        let scene = try await CredentialScene(kind, setting)
        let apply = try await scene.apply()
        let comment: Comment = "\(kind.name): \(apply.output)\(apply.errors)"
        #expect(apply.status == 1, comment)
        let isRefused = kind.signsTime && lead < 0
        let sentences =
            isRefused
            ? ["Google refused the credential: invalid_grant, Invalid JWT: ", "(the clock here is \(words))"]
            : ["the clock of this machine is \(words); nothing was sent"]
        for sentence in sentences { #expect(apply.errors.contains(sentence), comment) }
        #expect(try await scene.control.signIns() == (isRefused ? ["token": 1] : kind.signIns(1)), comment)
        #expect(try await scene.control.ledger().isEmpty, comment)
        await scene.end()
    }
}
