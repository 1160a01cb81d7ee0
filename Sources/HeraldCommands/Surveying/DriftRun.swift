import FCM
import Foundation
import HeraldCore
import HeraldStore

/// Compares FCM's subscriptions with the state's.
struct DriftRun {
    let context: CommandContext
    /// The topics that it is about. Empty for all.
    let topics: [TopicName]
    let audiences: [String]
    let sample: Int?
    let seed: String
    let budget: BudgetArgument?
    let records: Bool

    /// - Returns: Besides, why the command fails. `nil` if it does not.
    func conduct() async throws -> (document: DriftDocument, failure: CommandFailure?) {
        try await SurveyRun.hold(context, for: "drift") { run in
            let started = context.machine.now()
            let expected = try await expected(in: run)
            let everybody = expected.everybody
            let pass = sample == nil ? pass(of: everybody, in: run.recorded, at: started) : nil
            var asking = everybody.subtracting(pass?.before ?? [])
            if let sample {
                // A part of a sample must be a sample, too.
                asking = try await members(of: asking, in: run.store, min(sample, budget?.limit ?? .max))
            }
            let survey = Survey(
                .comparison(records: records), expected, asking: asking, limit: budget?.limit, time: budget?.time,
                in: context.settings.fcmProject, settle: context.destination.settle(of: context.settings.fcm),
                noted: pass?.began ?? RecordedState.observationTime(started), after: run.recorded.observed)
            if let pass, survey.count > 0 { try await run.store.commit([pass.noting]) }
            let report = try await run.carryOut(survey)
            var frame = DriftDocument.Frame(
                project: context.settings.project, started: started, finished: context.machine.now(),
                observed: run.recorded.observed, everybody: everybody.count)
            frame.pass = pass
            frame.seed = sample == nil ? nil : seed
            let limit = context.settings.guards.maxForgetPercent
            frame.hasTooManyDead = report.figures.hasTooManyDead(limit: limit)
            frame.recorded = try await finish(
                report, frame, isOver: asking.subtracting(report.figures.asked).isEmpty, in: run)
            return (DriftDocument(report, of: survey, frame), failure(report, frame, limit: limit, in: run))
        }
    }

    private func pass(of everybody: RecipientSet, in state: RecordedState, at now: Date) -> SurveyPass {
        let scope = topics.map { "topic \($0)" }.sorted() + audiences.map { "audience \($0)" }.sorted()
        return SurveyPass(about: scope, everybody, in: state, at: now)
    }

    private func expected(in run: SurveyRun) async throws -> ExpectedSubscriptions {
        let declared = Set(context.workspace.topics.map(\.name.value))
        for topic in topics where !declared.contains(topic) && run.recorded.topics[topic] == nil {
            let known = declared.union(run.recorded.topics.keys).map(\.rawValue)
            throw CommandFailure(
                .wrong, "no file declares topic '\(topic)', and the state does not know it", for: topic.rawValue,
                among: known, help: "name a topic of the workspace's files or of 'herald state show'")
        }
        // A topic without 'subscribers' belongs to the app. That the state has nobody there is no difference.
        let filled = Set(context.workspace.topics.filter { !$0.isOfApp }.map(\.name.value))
        let names = topics.isEmpty ? Array(filled.union(run.recorded.topics.keys)) : topics
        let members = try await members(ofAudiencesIn: run)
        return ExpectedSubscriptions(of: names, filled: filled, among: members, in: run.recorded)
    }

    /// Whom the audiences name, with their earlier registrations. `nil` for everybody.
    private func members(ofAudiencesIn run: SurveyRun) async throws -> RecipientSet? {
        if audiences.isEmpty { return nil }
        let members = try await context.files.members(
            ofAudiences: audiences, knownTo: run.store, as: run.recorded)
        let formers = run.recorded.formers.filter { members.contains($0.value) }.keys
        return members.union(RecipientSet(formers.sorted()))
    }

    /// A sample of some registrations.
    private func members(
        of everybody: RecipientSet, in store: any StateStore, _ size: Int
    ) async throws -> RecipientSet {
        var sample = SurveySample(of: size, seed: seed)
        var ids = RecipientSet()
        var rest = everybody.count
        for id in everybody {
            ids.insert(id)
            rest -= 1
            guard ids.count == 10_000 || rest == 0 else { continue }
            for (id, registration) in try await store.registrations(of: ids) { sample.add(id, registration) }
            ids = []
        }
        return sample.members
    }

    // MARK: The end

    private func finish(
        _ report: SurveyReport, _ frame: DriftDocument.Frame, isOver: Bool, in run: SurveyRun
    ) async throws -> DriftDocument.Recorded? {
        let figures = report.figures
        var changes: [StateChange] = []
        if frame.pass != nil, isOver { changes.append(SurveyPass.ended) }
        if figures.answered > 0 {
            changes.append(
                .lastDrift(
                    RecordedDrift(at: frame.finished, asked: figures.answered, drifted: figures.drifted)))
        }
        guard records else {
            if !changes.isEmpty { try await run.store.commit(changes) }
            return nil
        }
        let forgotten = frame.hasTooManyDead ? RecipientSet() : figures.dead
        if !forgotten.isEmpty { changes.append(.forget(forgotten, at: frame.finished)) }
        try await context.commit(changes, to: run.store)
        let workspace = context.workspace
        let restoring = workspace.topics.filter { $0.drift == .restore }.map(\.name.value)
        return DriftDocument.Recorded(
            forgotten: forgotten.count, restoring: Set(restoring),
            keepingSuppressed: workspace.settings.suppress.isEmpty ? [] : workspace.topicsThatOnlyExclude)
    }

    private func failure(
        _ report: SurveyReport, _ frame: DriftDocument.Frame, limit: Int, in run: SurveyRun
    ) -> CommandFailure? {
        let figures = report.figures
        let failure = run.failure(
            of: report, help: "the next call asks for them first; 'herald explain CODE' tells what a code means")
        guard frame.hasTooManyDead, report.end != .interrupted else { return failure }
        if let failure = run.failure(ofNobodyIn: report, .refused) { return failure }
        let dead = figures.dead.count
        return CommandFailure(
            .refused,
            "\(dead.grouped) of \((figures.answered + dead).grouped) registrations look dead, more than "
                + "'max_forget_percent' (\(limit) %) allows",
            help: Guard.maxForgetPercent.remedy(for: []))
    }
}
