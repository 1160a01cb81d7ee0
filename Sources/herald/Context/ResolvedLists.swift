import FCM
import HeraldCore
import HeraldStore

/// Whom the files mean, by the numbers that the state has for them, or would give them.
struct ResolvedLists {
    let desired: Desired
    private let recipients: ListedRecipients
    private let location: StateLocation

    /// The one place where lists become recipients.
    init(_ files: LoadedWorkspace, knownTo state: KnownState, at location: StateLocation) async throws {
        do {
            if let store = state.store {
                recipients = try await ListedRecipients(files.recipientIndex, recordedIn: store)
            } else {
                recipients = ListedRecipients(files.recipientIndex)
            }
            desired = try Resolver.desired(of: files.workspace, recipients)
        } catch let error as RecipientIndexError {
            throw Self.blame(error, location)
        }
        self.location = location
    }

    /// Writes down whom the state does not know yet: whoever is sent to, or subscribed, has a number there.
    func record(in store: any StateStore) async throws {
        guard desired.unrecorded > 0 else { return }
        do { try await recipients.record(in: store) } catch let error as RecipientIndexError {
            throw Self.blame(error, location)
        }
    }

    /// How some of them are reached.
    func registrations(of sample: RecipientSet) throws -> [RecipientID: Registration] {
        do { return try recipients.registrations(of: sample) } catch { throw Self.blame(error, location) }
    }

    /// A damaged state is told apart from lists that cannot be sorted.
    private static func blame(_ error: RecipientIndexError, _ location: StateLocation) -> any Error {
        error == .recordedTwice ? location.damage(error.description) : error
    }
}
