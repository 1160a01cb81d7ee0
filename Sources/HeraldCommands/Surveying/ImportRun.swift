import FCM
import Foundation
import HeraldCore
import HeraldStore

/// Records who follows a topic at FCM.
struct ImportRun {
    let context: CommandContext
    let topic: TopicName
    let audience: String
    let membership: ImportedMembership

    func conduct() async throws {
        try context.files.requireListed(audience)
        let failure = try await SurveyRun.hold(context, for: "import") { run in
            var run = run
            let isDeclared = context.workspace.topics.contains { $0.name.value == topic }
            let members = try await record(in: &run)
            // Plans would take the subscribers for people whom no file names.
            let waiting = isDeclared ? [] : [StateChange.awaitFile(topic, true)]
            try await run.store.commit(waiting)
            let survey = Survey(
                .taking(topic, membership.reclassification),
                ExpectedSubscriptions(of: [topic], filled: [topic], in: run.recorded), asking: members,
                in: context.settings.fcmProject, settle: .zero,
                noted: RecordedState.observationTime(context.machine.now()), after: run.recorded.observed)
            let report = try await run.carryOut(survey)
            try await context.commit([], to: run.store)
            let relations = try await run.store.snapshot().topics[topic]?.recipients ?? Partition()
            show(report, relations, isDeclared: isDeclared)
            return run.failure(of: report, help: "import again: it asks for everybody anew")
        }
        if let failure { throw failure }
    }

    /// Gives numbers to registrations that are new to the state, as an apply does.
    ///
    /// - Returns: Whom the audience names.
    private func record(in run: inout SurveyRun) async throws -> RecipientSet {
        let state = KnownState(store: run.store, recorded: run.recorded)
        let wanted = try await context.files.wanted(knownTo: state, at: context.state)
        try await context.state.blamed { try await wanted.record(in: run.store) }
        run.recorded = try await run.store.snapshot()
        return try await context.files.members(ofAudiences: [audience], knownTo: run.store, as: run.recorded)
    }

    private func show(_ report: SurveyReport, _ relations: Partition<Membership>, isDeclared: Bool) {
        let (figures, console) = (report.figures, context.console)
        let following = report.following.count
        var text =
            "\(following.grouped) of \(count(report.planned, "registration")) follow '\(topic)' and are recorded as "
            + "\(membership.rawValue)"
        // Nothing tells those whom herald subscribed from those whom somebody imported as managed before.
        let recorded = membership.reclassification.result.map { relations[$0] } ?? []
        let kept = report.following.subtracting(recorded).count
        if kept > 0 { text += ", but for \(kept.grouped) that are managed already and stay so" }
        text += "; \((figures.answered - following).grouped) do not follow it"
        if !figures.dead.isEmpty { text += ", \(figures.dead.count.grouped) dead" }
        if !figures.failed.isEmpty { text += ", \(figures.failed.count.grouped) could not be asked for" }
        if report.pending > 0 { text += ", \(report.pending.grouped) were not asked for" }
        console.result("\(text)\n")
        guard !isDeclared else { return }
        if let successor = context.workspace.topics.first(where: { $0.previousNames.contains { $0.value == topic } }) {
            console.result(
                """

                Topic '\(successor.name.value)' has '\(topic)' as a previous name. With the next run whoever counts \
                as herald's joins '\(successor.name.value)' if they belong there, and leaves '\(topic)'.

                """)
            return
        }
        console.result(
            """

            No file declares '\(topic)'. Plans leave it alone until one does:

            kind: topic
            name: \(JSONValue.string(topic.rawValue).compactText)
            subscribers: [\(JSONValue.string(audience).compactText)]

            """)
    }
}

extension LoadedWorkspace {
    /// Throws if the files do not say who is in an audience.
    func requireListed(_ audience: String) throws(CommandFailure) {
        let names = workspace.audiences.map(\.name.value)
        guard names.contains(audience) else {
            throw CommandFailure(
                .wrong, "no file declares audience '\(audience)'", for: audience, among: names,
                help: "name an audience of the workspace's files")
        }
        guard workspace.followUps(in: [audience]).isEmpty else {
            throw CommandFailure(
                .wrong, "audience '\(audience)' goes by what came of a campaign, which this command does not look at",
                help: "name an audience without 'outcome'")
        }
    }

    /// Whom audiences name, whether they are suppressed or not, by the state's numbers.
    func members(
        ofAudiences names: [String], knownTo store: any StateStore, as recorded: RecordedState
    ) async throws -> RecipientSet {
        for name in names { try requireListed(name) }
        let recipients = try await ListedRecipients(
            recipientIndex, recordedIn: store, newFrom: recorded.nextRecipient)
        return try Resolver.everybody(inAudiences: names, of: workspace, recipients)
    }
}
