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
            let (members, wanted) = try await record(in: &run)
            // Plans would take the subscribers for people whom no file names.
            let waiting = isDeclared ? [] : [StateChange.awaitFile(topic, true)]
            try await run.store.commit(waiting)
            var report = try await ask(members, in: run)
            try await askOthers(&report, wanted, in: &run)
            try await context.commit([], to: run.store)
            show(report, try await run.store.snapshot(), isDeclared: isDeclared)
            return run.failure(of: report, help: "import again: it asks for everybody anew")
                ?? run.failure(ofNobodyIn: report, .failed)
        }
        if let failure { throw failure }
    }

    private func ask(_ members: RecipientSet, in run: SurveyRun) async throws -> SurveyReport {
        try await run.carryOut(
            Survey(
                .taking(topic, membership.reclassification),
                ExpectedSubscriptions(of: [topic], filled: [topic], in: run.recorded), asking: members,
                in: context.settings.fcmProject, settle: .zero,
                noted: RecordedState.observationTime(context.machine.now()), after: run.recorded.observed))
    }

    /// Whoever is dead by the registration that counts is asked for by the others that lists name, one after the other, as
    /// a subscription tries them.
    private func askOthers(_ report: inout SurveyReport, _ wanted: Wanted, in run: inout SurveyRun) async throws {
        if report.figures.hasTooManyDead(limit: context.settings.guards.maxForgetPercent) { return }
        var others = try await wanted.others(of: report.figures.dead, knownTo: run.store)
        while report.end == nil {
            let next = others.filter { report.figures.dead.contains($0.key) }.compactMapValues(\.first)
            if next.isEmpty { return }
            others = others.mapValues { Array($0.dropFirst()) }
            let members = RecipientSet(next.keys.sorted())
            try await run.store.commit([
                .forget(members, at: context.machine.now()), .supersede(members),
                .readopt(try await run.store.formers(with: next)), .register(next),
            ])
            run.recorded = try await run.store.snapshot()
            report.add(try await ask(members, in: run))
        }
    }

    /// Gives numbers to registrations that are new to the state, as an apply does.
    ///
    /// - Returns: Whom the audience names, and what the files ask for.
    private func record(in run: inout SurveyRun) async throws -> (members: RecipientSet, wanted: Wanted) {
        let state = KnownState(store: run.store, recorded: run.recorded)
        let wanted = try await context.files.wanted(knownTo: state, at: context.state)
        try await context.state.blamed { try await wanted.record(in: run.store) }
        run.recorded = try await run.store.snapshot()
        let members = try await context.files.members(
            ofAudiences: [audience], knownTo: run.store, as: run.recorded)
        return (members, wanted)
    }

    private func show(_ report: SurveyReport, _ state: RecordedState, isDeclared: Bool) {
        let (figures, console) = (report.figures, context.console)
        let following = report.following.count
        var text =
            "\(following.grouped) of \(count(report.planned, "registration")) follow '\(topic)' and are recorded as "
            + "\(membership.rawValue)"
        let recorded = membership.reclassification.result.flatMap { state.topics[topic]?.recipients[$0] } ?? []
        let kept = report.following.subtracting(recorded)
        // Nothing tells those whom herald subscribed from those whom somebody imported as managed before.
        let managed = kept.subtracting(state.dead).count
        let exceptions = [
            (managed, "that are managed already and stay so"),
            (kept.count - managed, "that the state takes for dead ('herald state revive' brings them back)"),
        ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        if !exceptions.isEmpty { text += ", but for \(exceptions.joined(separator: " and "))" }
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
