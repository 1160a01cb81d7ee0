import Foundation
import HeraldCore
import HeraldStore

/// What a person decides about outcomes.
extension CommandContext {
    func resolve(_ id: OccurrenceID, by resolution: Resolution) async throws {
        let left: [String] = try await repairing { store, lock in
            if resolution == .resend { try lock.refuseOvertaking("use --resend") }
            var state = try await store.snapshot()
            state.occurrences[id] = try await store.occurrence(id)
            let name = state.occurrences[id]?.campaign
            let campaign = name.flatMap { name in workspace.campaigns.first { $0.continues(name) } }
            let wanted =
                state.clocksMatter(to: id, resolution, campaign) || state.targetMatters(to: id, resolution, campaign)
                ? try await listed(campaign, in: store, state) : nil
            let formerNames = workspace.audiences.map { ($0.name.value, $0.previousNames.map(\.value)) }
            let again = state.occurrences[id]?.ledger?.members(triedAgainBy: resolution) ?? []
            let outside = state.outsiders(among: again, of: id, campaign, wanted)
            let lost = try await store.erased(of: again).union(outside)
            let changes: [StateChange]
            do throws(ResolutionProblem) {
                changes = try state.changes(
                    resolving: id, by: resolution, campaign: campaign, wanted: wanted,
                    Dictionary(formerNames) { first, _ in first }, besides: lost, at: machine.now())
            } catch {
                throw error.failure(for: id.rawValue, in: state)
            }
            var told = state.told
            told.decide(resolution, about: id)
            try await store.commit(changes + (told == state.told ? [] : [.told(told)]))
            if resolution == .abandon { return state.wordsOfWhoIsLeft(of: id, campaign, at: machine.now()) }
            if resolution == .goOn { return Self.wordsOfWhoIsReleased(by: changes) }
            let unreachable = again.intersection(state.dead).union(lost).count
            guard unreachable > 0 else { return [] }
            let people = count(unreachable, "recipient")
            let others = outside.isEmpty ? "" : ", or who are not in its target any more"
            return [
                "it is not sent again to \(people) whose registrations are dead or erased\(others); their outcomes stay"
            ]
        }
        console.info("herald: settled \(id)\n")
        for line in left { console.info("herald: \(line)\n") }
    }

    /// Who had nothing yet of an occurrence that goes on with another target. No list is read here.
    private static func wordsOfWhoIsReleased(by changes: [StateChange]) -> [String] {
        let numbers = changes.map { if case .skip(_, let members, .notTried) = $0 { members.count } else { 0 } }
        let number = numbers.reduce(0, +)
        guard number > 0 else { return [] }
        return [
            "\(count(number, "recipient")) whom it was for had nothing yet; those who are not in its target any more are skipped"
        ]
    }

    /// What lists say of whom a campaign goes to. Other decisions need no list. `nil` if one waits for an approval.
    private func listed(
        _ campaign: Campaign?, in store: any StateStore, _ recorded: RecordedState
    ) async throws -> DesiredSend? {
        let unfetched = try await ListFetch.unfetched(common)
        let files = try LoadedWorkspace.read(
            common, lists: .required, at: machine.now(), cache: nil, about: campaign?.name.value, without: unfetched)
        let unknown = files.workspace.dependents(of: unfetched)
        if let campaign, !unknown.isDisjoint(with: files.workspace.audiences(decidingOf: campaign)) { return nil }
        let known = KnownState(store: store, recorded: recorded)
        let lists = try await files.wanted(knownTo: known, at: state, isForApply: false)
        return lists.desired.sends.first { $0.campaign.name.value == campaign?.name.value }
    }

    /// Adds the outcomes that a report has and the state lacks.
    ///
    /// - Parameter occurrence: Without it, of all occurrences in the report.
    func resolve(from path: String, only occurrence: String?) async throws {
        let report = try report(at: path)
        let steps = report.steps.filter { $0.unrecorded != nil && (occurrence == nil || $0.occurrence == occurrence) }
        guard !steps.isEmpty else {
            throw CommandFailure(
                .wrong, "\(path) has no outcomes that could not be written to the state",
                help: "nothing is to be added; name another report if this is not the one you mean")
        }
        let added = try await repairing { store in
            var state = try await store.snapshot()
            guard report.state?.lineage == state.identity.lineage else {
                throw CommandFailure(
                    .wrong, "\(path) is the report of a run on another state",
                    help: "name a report of this state, or set 'state' or HERALD_STATE to that one")
            }
            guard report.isKnown(to: state) else {
                throw CommandFailure(
                    .wrong,
                    "the state does not know the run of \(path), so its recipients may have other numbers there",
                    help: "put back the state of that run, or settle its outcomes with --accept, --resend or --abandon")
            }
            var outcomes: [OccurrenceID: UnrecordedOutcomes] = [:]
            for step in steps {
                guard let name = step.occurrence, let unrecorded = step.unrecorded else { continue }
                let id = OccurrenceID(rawValue: name)
                guard let known = try await store.occurrence(id) else {
                    throw CommandFailure(
                        .wrong, "the state has no occurrence '\(name)', which is in \(path)",
                        help: "name one that 'herald state show' lists, before --from")
                }
                state.occurrences[id] = known
                outcomes[id] = unrecorded
            }
            let added = state.adding(outcomes, of: report.state?.stamp)
            if added.changes.isEmpty, !added.doubted.isEmpty { throw added.doubt(about: path, "nothing was changed") }
            if !added.changes.isEmpty { try await store.commit(added.changes) }
            return added
        }
        let names = steps.compactMap(\.occurrence).joined(separator: ", ")
        console.info(
            added.changes.isEmpty
                ? "herald: the state has these outcomes already\n" : "herald: added outcomes of \(names)\n")
        if !added.doubted.isEmpty { console.error(added.doubt(about: path, "they stay as they are").text) }
    }

    /// For occurrences in doubt: the oldest report beside the state that knows more of them than the state.
    func unwrittenReports(in store: any StateStore, _ recorded: RecordedState) async throws -> [OccurrenceID: String] {
        let doubted = recorded.occurrences.filter { $1.counts.uncertain > 0 || $1.halt == .failedOver }.keys
        if doubted.isEmpty { return [:] }
        let reports = SavedReports(in: state.reports).unwritten(to: recorded.identity.lineage)
            .filter { $0.report.isKnown(to: recorded) }
        var (found, recorded): ([OccurrenceID: String], RecordedState) = ([:], recorded)
        for (path, report) in reports {
            for step in report.steps {
                guard let name = step.occurrence, let outcomes = step.unrecorded else { continue }
                let id = OccurrenceID(rawValue: name)
                guard found[id] == nil, doubted.contains(id) else { continue }
                recorded.occurrences[id] = try await store.occurrence(id)
                if !recorded.adding([id: outcomes], of: report.state?.stamp).changes.isEmpty { found[id] = path }
            }
        }
        return found
    }

    private func report(at path: String) throws -> Report {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure.unreadable("the report \(path)")
        }
        do { return try ReportDocument(reading: Array(bytes)).report } catch {
            throw CommandFailure(
                .wrong, "\(path) is no report of this herald's", help: "name a file from runs/ beside the state")
        }
    }
}

extension StateStore {
    /// Recipients of whom only the number is left.
    fileprivate func erased(of members: RecipientSet) async throws -> RecipientSet {
        // One request to a whole target has no registration.
        var erased = members.subtracting(.target)
        let numbers = Array(erased)
        let size = 20_000
        for start in stride(from: 0, to: numbers.count, by: size) {
            let part = RecipientSet(numbers[start..<min(start + size, numbers.count)])
            erased.subtract(RecipientSet(try await registrations(of: part).keys.sorted()))
        }
        return erased
    }
}

extension AddedOutcomes {
    /// Why not all of a report is added, and what to do.
    fileprivate func doubt(about path: String, _ outcome: String) -> CommandFailure {
        let people = doubted.sorted { $0.key < $1.key }.map { "\(count($1.count, "recipient")) of \($0)" }
        return CommandFailure(
            .wrong,
            "\(path) may be out of date for \(people.joined(separator: ", ")): people were tried again after its run, "
                + "or the occurrence was taken out of the state; \(outcome)",
            help: "use the report of the later run, or settle who is still unknown with --accept, --resend or --abandon"
        )
    }
}

extension RecordedState {
    /// Who gets nothing, or nothing again, of an occurrence that a person ends. No list is read here, so that nobody
    /// knows which clocks people have.
    fileprivate func wordsOfWhoIsLeft(of id: OccurrenceID, _ campaign: Campaign?, at now: Date) -> [String] {
        let number = unserved(by: id).count
        let people = number > 0 ? ["it is not sent any more to \(count(number, "recipient")) whom it was for"] : []
        let clocks = lastClock(of: id, campaign, at: now).map {
            "whoever's clock comes to it later gets nothing; the last clock of the world does at \($0.rfc3339)"
        }
        let again = unrepeated(by: id).count
        let repeats = again > 0 ? ["it is not sent again to \(count(again, "recipient")) who may have got it"] : []
        return people + repeats + (clocks.map { [$0] } ?? [])
    }
}

extension Report {
    /// Whether its run is part of the state's history. Numbers that were given out after a backup may be given to others
    /// when it is restored.
    fileprivate func isKnown(to recorded: RecordedState) -> Bool {
        // Reports of older heralds have only the serial.
        state?.stamp.map { recorded.stamps.include($0) } ?? ((state?.serial ?? 0) <= recorded.serial)
    }
}
