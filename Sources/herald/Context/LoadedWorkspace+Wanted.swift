import Foundation
import HeraldCore
import HeraldStore

extension LoadedWorkspace {
    /// Whom the files mean, by the numbers that the state has for them, or would give them. The one place where lists
    /// become recipients.
    ///
    /// - Parameter isForApply: whether a state is made where there is none.
    func wanted(
        knownTo state: KnownState, at location: StateLocation, isForApply: Bool = true
    ) async throws -> Wanted {
        let isKept = cacheFiles != nil && (state.exists || isForApply)
        return try await location.blamed {
            try await Wanted(
                workspace, recipientIndex, knownTo: state.store, noting: isKept ? HostName.randomKey : nil,
                keep: cacheFiles?.keeper, sorted: indexReadAgain)
        }
    }

    /// For a state that is not the one whose numbers the cache has.
    private func indexReadAgain() throws -> RecipientIndex {
        let read = WorkspaceLoader.lists(
            of: workspace, in: folder, environment: ProcessInfo.processInfo.environment, cacheFiles: cacheFiles)
        guard read.digests == listDigests else {
            throw CommandFailure(.wrong, "a list changed while it was read; run the command again")
        }
        return try read.recipientIndex.get()
    }
}

extension StateLocation {
    /// Tells a damaged state apart from lists that cannot be sorted.
    func blamed<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as RecipientIndexError {
            throw error == .recordedTwice ? damage(error.description) : error
        }
    }
}
