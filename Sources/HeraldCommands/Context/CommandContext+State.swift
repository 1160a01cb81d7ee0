import Foundation
import HeraldCore
import HeraldStore

extension CommandFailure {
    /// A person answered no.
    static let notApproved = CommandFailure(
        .wrong, "not approved; nothing was done", help: "to approve, run it again and type 'yes'")
}

/// The state, for commands that people read and repair it with.
extension CommandContext {
    /// The state for changes that must not happen during a run.
    @discardableResult
    func repairing<Value>(_ body: (any StateStore) async throws -> Value) async throws -> Value {
        try await repairing { store, _ in try await body(store) }
    }

    /// What it did is noted in the state and outside of it, so that an older copy is found out.
    @discardableResult
    func repairing<Value>(_ body: (any StateStore, any StateLock) async throws -> Value) async throws -> Value {
        // Fails before anything is created beside it.
        try await state.require()
        let lock = try await state.lock(for: "state")
        return try await lock.hold {
            let store = try await state.open(for: .changing)
            try await noteReported(of: store)
            let value = try await body(store, lock)
            try await stamp([], to: store)
            return value
        }
    }

    /// Commits what a person decided, with a stamp.
    func commit(_ changes: [StateChange], to store: any StateStore) async throws {
        try await noteReported(of: store)
        try await stamp(changes, to: store)
    }

    private func stamp(_ changes: [StateChange], to store: any StateStore) async throws {
        // Asked before: a failure must not hide what was committed.
        let hasMoved = try await state.hasMoved()
        try await store.commit(changes + [.newStamp()])
        // The original goes on. What a person does to a copy must not make it look old.
        if hasMoved {
            return console.error(
                "herald: this state is in another server, database or schema than at the last run, so no run works "
                    + "with it; if it is a copy, nothing was changed in the original\n")
        }
        witness(try await store.history())
    }

    /// Notes beside a state that it went back, before something raises its serial, and in the state what the last report of
    /// an older herald says.
    func noteReported(of store: any StateStore) async throws {
        if try await state.hasMoved() { return }
        if try await store.history().stamps.last == nil {
            try await store.commit(SavedReports(in: state.reports).corrections(of: try await store.snapshot()))
        }
        guard let lost = try await lostStamp(of: store) else { return }
        Witness.note(try await store.history(), lost: lost, in: state.reports, console)
    }

    /// Stands for what only the serial of a report tells: the state went back. What a person does now would raise its own
    /// serial past that one. `nil` if it did not go back, or if the witness says so already.
    private func lostStamp(of store: any StateStore) async throws -> Stamp? {
        let history = try await store.history()
        let witness = Witness(of: history.lineage, in: state.reports)
        guard let reported = SavedReports(in: state.reports).versions(of: history.lineage).map(\.serial).max(),
            !witness.stamps.contains(where: history.stamps.lack), try await store.snapshot().serial < reported
        else { return nil }
        return Stamp(number: (history.stamps.last?.number ?? 0) + 1, id: "serial-\(reported)")
    }

    /// Removes from the state's files what was removed from the state. If that is not possible now, it says what to do
    /// later.
    func compact(_ store: any StateStore) async throws {
        let command = "run 'herald state prune --older-than 3650d'"
        let (reason, help): (String, String)
        switch try await store.compact() {
        case .done: return
        case .postponed(let why): (reason, help) = (why, "\(command) later")
        case .forOwner:
            (reason, help) = ("only the owner of its schema may write them anew", "let that owner \(command)")
        }
        console.error(
            """
            herald: what was removed is not in the state any more, but may still be in its files: \(reason)
              help: \(help); it writes the files anew

            """)
    }

    /// Asks a person before something is removed for good.
    func confirm(_ question: String, isApproved: Bool) throws {
        if isApproved { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                .wrong, "not approved: there is no terminal to ask on; nothing was done", help: "add --auto-approve")
        }
        guard console.confirms(question) else { throw CommandFailure.notApproved }
    }

    /// Changes what is paused, even while a run works on the state.
    ///
    /// - Parameters:
    ///   - name: One that a campaign has, or had. Without one, everything is paused or resumed.
    ///   - changes: Made of what is paused, and of the campaigns of that name.
    /// - Returns: what the change is about, in words, and the deadlines of that.
    func changePauses(
        of name: String?, _ changes: (Pauses, CampaignNames.Called?) throws -> [StateChange]
    ) async throws -> (subjects: [String], deadlines: [Deadline]) {
        let store = try await state.open(for: .changing)
        var recorded = try await store.snapshot()
        let names = CampaignNames(of: workspace.campaigns, recorded)
        let called = name.flatMap { names.campaigns(called: $0) }
        if let name, called == nil {
            throw CommandFailure(
                .wrong, "there is no campaign '\(name)'", for: name, among: names.all,
                help: "name a campaign of the workspace's files or of 'herald state show'")
        }
        try await commit(try changes(recorded.pauses, called), to: store)
        recorded.apply(recorded.renames(to: workspace.campaigns).map { .rename(campaign: $0.old, to: $0.new) })
        let now = self.common.machine.now()
        let deadlines = workspace.campaigns.filter { called?.present.contains($0.name.value) ?? true }
            .flatMap { recorded.deadlines(of: $0, settings, at: now) }
        return (called?.words ?? ["everything"], deadlines)
    }
}
