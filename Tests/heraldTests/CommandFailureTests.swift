import FCM
import FCMClient
import FCMEmulator
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// The exit status and the message for each module's errors.
@Suite struct CommandFailureTests {
    /// The test library has an `ExitStatus` too.
    typealias Status = HeraldCommands.ExitStatus

    struct Case: Sendable, CustomTestStringConvertible {
        let error: any Error
        let status: Status
        let message: String

        init(_ error: any Error, _ status: Status, _ message: String) {
            (self.error, self.status, self.message) = (error, status, message)
        }

        var testDescription: String { message }
    }

    @Test(arguments: [
        Case(StateError.missing(path: "/s"), .wrong, "there is no state at /s"),
        Case(StateError.locked(path: "/s", holder: "run 7"), .locked, "the state /s is in use by run 7"),
        Case(StateError.newer(path: "/s"), .wrong, "the state /s was written by a newer herald"),
        Case(RecipientIndexError.recordedTwice, .wrong, "a recipient is in it twice"),
        Case(
            FCMClientError.authoritiesWithoutTLS, .wrong, "certificate authorities are for https endpoints only"),
        Case(TokenError.unusableKey, .wrong, "the private key cannot sign"),
        Case(
            EmulatorError.cannotListen(host: "h", port: 1, reason: "taken"), .wrong, "cannot listen on h:1: taken"),
        Case(SavedPlan.Problem.unreadable, .wrong, "the file is no plan of herald's"),
        Case(SavedPlan.Problem.altered, .stalePlan, "the plan was altered after it was saved"),
        Case(
            SavedPlan.Problem.expired(at: Date(timeIntervalSince1970: 0)), .stalePlan,
            "the plan expired at 1970-01-01T00:00:00Z"),
        Case(
            SavedPlan.Problem.early(until: Date(timeIntervalSince1970: 0)), .stalePlan,
            "the plan is for 1970-01-01T00:00:00Z, which has not come"),
        Case(SavedPlan.Problem.used, .stalePlan, "the plan was applied before"),
        Case(
            SavedPlan.Problem.stale, .stalePlan,
            "the files or the state changed since the plan was saved"),
        Case(CommandFailure(.usage, "as it is", help: "do it"), .usage, "as it is"),
    ])
    func `an error has one exit status, and says what happened and what to do`(_ error: Case) {
        let failure = CommandFailure(error.error)
        #expect(failure?.status == error.status)
        #expect(failure?.message == error.message)
        #expect(failure?.help?.isEmpty == false)
    }

    /// What may have arrived waits for a person, or goes out again with the next run.
    @Test(arguments: [
        (Campaign.OnUnknown.hold, "herald sends them nothing more of it", "--resend if not"),
        (.resend, "the next run sends it to them again", "--accept"),
    ])
    func `an unknown outcome says what the next run does`(
        _ policy: Campaign.OnUnknown, _ words: String, _ help: String
    ) throws {
        let place = SourceRange(file: "c.yaml")
        var campaign = Campaign(
            name: Located("tide", at: place), target: Located(.audience("all"), at: place),
            message: Located(["data": ["a": "b"]], at: place))
        campaign.delivery.onUnknown = policy
        var desired = Desired()
        desired.sends = [DesiredSend(campaign: campaign, members: [1])]
        let identity = RecordedState.Identity(lineage: "l", project: "p", endpoint: .emulator, created: Date())
        let plan = Planner.plan(
            .init(desired: desired, state: RecordedState(identity: identity), settings: Settings(project: "p")),
            at: Date())
        var report = Report(
            run: "r", plan: plan, planDigest: "", isDryRun: false, started: Date(), endpoint: .emulator, project: "p",
            version: "1")
        report.steps[0].unknown = 1
        report.result = report.outcome
        let endpoint = try Endpoint("http://127.0.0.1:9")
        let failure = try #require(CommandFailure(report, at: endpoint, signal: 0))
        #expect(failure.status == Status.unknown)
        #expect(failure.message?.contains("tide@once; \(words)") == true, "\(failure.message ?? "")")
        #expect(failure.help?.contains(help) == true)
    }

    @Test func `nothing goes on with a test, and an unknown outcome of one is nothing to settle`() throws {
        let place = SourceRange(file: "c.yaml")
        let campaign = Campaign(
            name: Located("tide", at: place), target: Located(.audience("all"), at: place),
            message: Located(["data": ["a": "b"]], at: place))
        var report = report(.unknown, of: Plan(testing: campaign, on: [1: .fid(1)], at: Date()))
        report.steps[0].unknown = 1
        let failure = try #require(CommandFailure(report, at: .fcm, signal: 0))
        #expect(failure.status == Status.unknown)
        #expect(failure.message?.contains(": tide@test; ") == true, "\(failure.message ?? "")")
        #expect(failure.help?.contains("herald test") == true && failure.help?.contains("resolve") == false)

        report = self.report(.interrupted, of: Plan(testing: campaign, on: [1: .fid(1)], at: Date()))
        report.steps[0].add(
            Report.Failure(
                registration: nil, code: "QUOTA_EXCEEDED", httpStatus: 429, message: "m", attempts: 1,
                action: .retryNextRun))
        #expect(CommandFailure(report, at: .fcm, signal: SIGINT)?.help?.hasPrefix("run 'herald test' again") == true)
        let document = ReportDocument(report)
        for text in [document.text(.plain), document.markdown, document.html, document.junit] {
            #expect(text.contains("not accepted; wait, then run") && !text.contains("next run"))
        }
    }

    @Test func `an error of somebody else is told, too`() {
        let failure = CommandFailure(blaming: CocoaError(.fileReadUnknown))
        #expect(failure.status == .wrong)
        #expect(failure.message?.isEmpty == false && failure.help?.isEmpty == false)
    }

    @Test func `a command that has said everything says no more`() {
        #expect(CommandFailure(.refused).text == "")
        #expect(CommandFailure(.wrong, "a: b", help: "c").text == "herald: a: b\n  help: c\n")
    }

    /// A code comes from the server that the settings name.
    @Test func `what a server answered controls no terminal`() {
        let problem = ResolutionProblem.nobodyRejected(code: "Y", known: ["\u{1B}[31mX\u{202E}", "A\nB"])
        let state = RecordedState(
            identity: .init(lineage: "l", project: "p", endpoint: .emulator, created: Date(timeIntervalSince1970: 0)))
        let text = problem.failure(for: "tide@once", in: state).text
        #expect(
            text == """
                herald: nobody was refused tide@once with 'Y'
                  help: name one of these codes: \u{FFFD}[31mX\u{FFFD}, A\u{FFFD}B

                """)
    }

    @Test(arguments: [
        ("Unexpected argument '\(Registration.fid(1).rawValue)'", "Unexpected argument '(a registration)'"),
        ("--to=\(Registration.token(1).rawValue);", "--to=(a registration);"),
        ("-\(Registration.fid(1).rawValue)", "(a registration)"), ("", ""),
        ("topic:\(Registration.fid(1).rawValue)", "topic:(a registration)"),
        (String(Registration.token(1).rawValue.prefix(80)), "(a registration)"), ("a  b\n", "a  b\n"),
        ("campaign 'customer-notifications'", "campaign 'customer-notifications'"),
        ("tide@2026-12-01T08:00:00Z", "tide@2026-12-01T08:00:00Z"),
        ("\(Registration.token(2).rawValue)/x é", "(a registration)/x é"),
    ])
    func `what looks like a registration is not repeated`(_ text: String, _ masked: String) {
        #expect(text.maskingRegistrations == masked)
    }

    @Test func `errors of others are left to the argument parser`() {
        #expect(CommandFailure(CancellationError()) == nil)
    }

    @Test(arguments: [
        (Status.done, Int32(0)), (.wrong, 1), (.changes, 2), (.refused, 3), (.failed, 4), (.locked, 5),
        (.unknown, 6), (.stalePlan, 7), (.usage, 64), (.interrupted(signal: SIGINT), 130),
        (.interrupted(signal: SIGTERM), 143),
    ])
    func `exit statuses are those of docs/explanation/promises.md`(_ status: Status, _ code: Int32) {
        #expect(status.code == code)
    }

    @Test(arguments: [
        (Report.Result.refused, 3, "a guard refused something", "correct the files or lists, or let it through"),
        (.failed, 4, "not everything succeeded", "'herald explain CODE'"),
        (.unknown, 6, "some recipients may or may not have got their message", "'herald state resolve OCCURRENCE'"),
        (.interrupted, 130, "a signal stopped the run", "the next run goes on"),
    ])
    func `a run that did not succeed says what happened, and what to do`(
        result: Report.Result, code: Int32, message: String, help: String
    ) throws {
        let failure = try #require(CommandFailure(report(result), at: .fcm, signal: SIGINT))
        #expect(failure.status.code == code)
        #expect(failure.message?.hasPrefix(message) == true)
        #expect(failure.help?.hasPrefix(help) == true)
    }

    @Test func `what failed is named, with its code, and where all of it is`() throws {
        var report = report(.failed)
        for (name, code, count) in [("tide@once", "SENDER_ID_MISMATCH", 2), ("ebb@once", "QUOTA_EXCEEDED", 1)] {
            let held = Plan.Held(occurrence: OccurrenceID(rawValue: name), reason: "r", resolve: "", remaining: 0)
            var step = StepReport(held)
            (step.planned, step.rejected) = (9, count)
            step.accepted = 9 - count
            for code in Array(repeating: code, count: count) + ["UNREGISTERED"] {
                step.add(
                    Report.Failure(
                        registration: nil, code: code, httpStatus: 403, message: "m", attempts: 1,
                        action: code == "UNREGISTERED" ? .forgotten : .rejected))
            }
            report.steps.append(step)
        }
        let failure = try #require(CommandFailure(report, in: "/runs/r.json", at: .fcm, signal: 0))
        #expect(failure.message == "tide@once: 2 rejected, SENDER_ID_MISMATCH; ebb@once: 1 rejected, QUOTA_EXCEEDED")
        #expect(failure.help?.hasPrefix("'herald explain SENDER_ID_MISMATCH'") == true)
        #expect(failure.help?.hasSuffix("'herald report /runs/r.json' shows all of it") == true)

        let due = Date(timeIntervalSince1970: 0)
        report.steps = []
        report.missedOccurrences = (1...5).map {
            Plan.Missed(occurrence: OccurrenceID(rawValue: "tide@\($0)"), due: due, reason: "too late")
        }
        let missed = try #require(CommandFailure(report, at: .fcm, signal: 0))
        #expect(missed.message?.hasPrefix("tide@1 was not sent: too late; ") == true)
        #expect(missed.message?.hasSuffix("; and 2 more") == true)
        #expect(missed.help?.contains("give it a new time") == true)
    }

    @Test func `what the state lacks is named, with the command that adds it`() throws {
        var report = report(.failed)
        #expect(CommandFailure(unrecordedIn: report, at: "/runs/r.json") == nil)
        for name in ["tide@once", "ebb@once"] {
            let held = Plan.Held(occurrence: OccurrenceID(rawValue: name), reason: "r", resolve: "", remaining: 0)
            var step = StepReport(held)
            if name == "ebb@once" { step.unrecorded = UnrecordedOutcomes() }
            report.steps.append(step)
        }
        let lacking = try #require(CommandFailure(unrecordedIn: report, at: "/runs/r.json"))
        #expect(lacking.message == "the state lacks outcomes of ebb@once, which the report has")
        #expect(lacking.help?.hasSuffix(": 'herald state resolve --from /runs/r.json'") == true)
        let spaced = CommandFailure(unrecordedIn: report, at: "/my runs/r.json")
        #expect(spaced?.help?.hasSuffix(": 'herald state resolve --from \"/my runs/r.json\"'") == true)
    }

    @Test func `what nobody approved is named, with the command that approves it`() throws {
        var plan = Plan(at: Date(timeIntervalSince1970: 0), workspaceDigest: "", state: nil)
        plan.unapproved = [(Definition.Kind.campaign, "welcome"), (.topic, "news")].map { kind, name in
            Plan.Unapproved(resource: Definition.Key(kind: kind, name: name), reason: "nobody approved it")
        }
        let failure = try #require(CommandFailure(report(.refused, of: plan), at: .fcm, signal: 0))
        #expect(failure.status == .refused)
        #expect(failure.message == "campaign 'welcome', topic 'news': nobody approved it")
        #expect(failure.help?.hasSuffix("herald approve plan.json --by \"$USER\"") == true)
    }

    @Test func `a run that succeeded is no failure`() {
        #expect(CommandFailure(report(.ok), at: .fcm, signal: 0) == nil)
    }

    @Test func `if nothing answered on this machine, the help asks whether the emulator runs`() throws {
        var report = report(.failed)
        report.isUnreachable = true
        let local = try Endpoint("http://127.0.0.1:9")
        let failure = CommandFailure(report, at: local, signal: 0)
        #expect(failure?.status == .failed)
        #expect(
            failure
                == CommandFailure(
                    .failed, "http://127.0.0.1:9: nothing answers", help: "is 'herald emulator' running there?"))
        #expect(CommandFailure(report, at: .fcm, signal: 0)?.message == "https://fcm.googleapis.com: nothing answers")
    }

    private func report(_ result: Report.Result, of plan: Plan? = nil) -> Report {
        let now = Date(timeIntervalSince1970: 0)
        var report = Report(
            run: "r", plan: plan ?? Plan(at: now, workspaceDigest: "", state: nil), planDigest: "", isDryRun: false,
            started: now, endpoint: .fcm, project: "p", version: "1")
        report.result = result
        return report
    }
}
