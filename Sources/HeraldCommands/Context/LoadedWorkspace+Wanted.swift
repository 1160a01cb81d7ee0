import Foundation
import HeraldCore
import HeraldStore

extension LoadedWorkspace {
    /// The recipients that the files ask for, by the numbers that the state has for them or would give them. This is
    /// the one place where lists become recipients.
    ///
    /// - Parameters:
    ///   - isForApply: Whether a state is created if there is none.
    ///   - time: What filters compare with. By default the time that the lists were read for.
    func wanted(
        knownTo state: KnownState, at location: any StateLocation, isForApply: Bool = true, judgedAt time: Date? = nil
    ) async throws -> Wanted {
        let index = time.map { recipientIndex.judged(at: $0) } ?? recipientIndex
        let isKept = cacheFiles != nil && (state.exists || isForApply)
        return try await location.blamed {
            do {
                return try await Wanted(
                    workspace, index, knownTo: state.store, as: state.recorded,
                    noting: isKept ? HostName.randomKey : nil,
                    keep: cacheFiles?.keeper, sorted: { try indexReadAgain(at: index.date) })
            } catch let error as PrunedFollowUp {
                throw CommandFailure(.wrong, error.description, help: error.help)
            }
        }
    }

    /// What the files ask for when lists are not read. The registrations of the state are not read either: such a plan
    /// shows nothing that depends on registrations in the files themselves.
    func desiredWithoutLists(besides recorded: RecordedState) throws -> Desired {
        try Resolver.desired(of: workspace, ListedRecipients(recipientIndex, newFrom: recorded.nextRecipient))
    }

    /// The cached numbers belong to another state, so the lists are read again.
    private func indexReadAgain(at time: Date) throws -> RecipientIndex {
        let read = WorkspaceLoader.lists(
            of: workspace, in: folder, environment: ProcessInfo.processInfo.environment, at: time,
            cacheFiles: cacheFiles)
        guard read.digests == listDigests else {
            throw CommandFailure(.wrong, "a list changed while it was read", help: "run the command again")
        }
        return try read.recipientIndex.get()
    }
}

extension StateLocation {
    /// Blames the right cause: a damaged state, or lists that cannot be sorted.
    func blamed<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as RecipientIndexError {
            throw error == .recordedTwice ? damage(error.description) : error
        }
    }
}
