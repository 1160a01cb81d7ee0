import ArgumentParser
import FCM
import Foundation
import HeraldCore
import HeraldStore

struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a campaign's real message to a few registrations.",
        discussion: """
            To at most 20, whatever the campaign's target, schedule and exclusions are. It is recorded as a test: the \
            campaign itself is sent to everybody all the same when it is due.
            """)

    /// The most registrations of one test.
    static let maximumRecipients = 20

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign.")
    var campaign: String

    @Option(
        parsing: .upToNextOption, help: ArgumentHelp("Tokens or fids to send to.", valueName: "registration"))
    var to: [String] = []

    @Option(help: ArgumentHelp("An audience of at most 20 to send to.", valueName: "name"))
    var audience: String?

    @Option(
        help: ArgumentHelp("Where to write the report (default: runs/ beside the state).", valueName: "file"),
        completion: .file())
    var report: String?

    func validate() throws {
        if to.isEmpty == (audience == nil) { throw ValidationError("say whom to send to: --to or --audience") }
        if to.count > Self.maximumRecipients {
            throw ValidationError("a test goes to at most \(Self.maximumRecipients) registrations")
        }
    }

    func run() async throws {
        let session = try Session.open(Common(herald.common, options), lists: audience == nil ? .skip : .required)
        let campaign = try session.campaign(named: campaign)
        let registrations = try registrations(session)
        let existing = try session.openStore()
        let now = Date()
        let numbered = Dictionary(
            uniqueKeysWithValues: registrations.enumerated().map { (RecipientID($0 + 1), $1) })
        // A state of its own: a test leaves no outcomes, and forgetsDead nobody.
        let store = MemoryStore(
            RecordedState(identity: session.newIdentity(created: now)), registrations: numbered,
            fingerprintKey: existing?.fingerprintKey ?? (0..<32).map { _ in UInt8.random(in: 0...255) })
        let plan = Plan(testing: campaign, on: numbered, at: now)
        let runID = Execution.newRunID(at: now)
        let blank = Report(
            run: runID, plan: plan, planDigest: PlanDocument(plan, id: runID, created: now).digest, isDryRun: false,
            started: now, endpoint: session.endpointKind, project: session.workspace.settings.project,
            version: Herald.version, gitCommit: GitCommit.current(at: session.folder.path))
        let execution = Execution(
            session: session, overrides: Overrides(), now: { Date() }, runID: runID, reportPath: report,
            forgetsDead: false, signals: .listen(on: session.console))
        let finished = try await execution.run(plan, blank, first: [], last: [], in: { store })
        if let existing, let step = finished.report.steps.first {
            let test = RecordedTest(
                campaign: campaign.name.value, at: now, accepted: step.accepted, rejected: step.rejected,
                unknown: step.unknown)
            do { try await existing.commit([.test(test)]) } catch let error as StateError {
                throw session.console.end(error)
            }
        } else {
            session.console.info("herald: there is no state that could keep this test\n")
        }
        try execution.end(finished)
    }

    private func registrations(_ session: Session) throws -> [Registration] {
        if let audience { return try registrations(ofAudience: audience, session) }
        var seen: Set<RecipientKey> = []
        return try to.enumerated().compactMap { index, text in
            guard let registration = Registration(text) else {
                throw session.console.end(
                    .usage, "what follows --to in place \(index + 1) is neither a token nor a fid")
            }
            return seen.insert(registration.recipientKey).inserted ? registration : nil
        }
    }

    private func registrations(ofAudience name: String, _ session: Session) throws -> [Registration] {
        let names = session.workspace.audiences.map(\.name.value)
        guard names.contains(name) else {
            let near = suggestion(for: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw session.console.end(.wrong, "no file declares audience '\(name)'\(near)")
        }
        do {
            let recipients = ListedRecipients(session.recipientIndex)
            let members = try Resolver.members(ofAudience: name, in: session.workspace, recipients)
            guard (1...Self.maximumRecipients).contains(members.count) else {
                throw session.console.end(
                    .wrong,
                    "audience '\(name)' has \(members.count) recipients; a test goes to 1 to \(Self.maximumRecipients)")
            }
            return try recipients.registrations(of: members).sorted { $0.key < $1.key }.map(\.value)
        } catch let error as RecipientIndexError {
            throw session.end(error)
        }
    }
}
