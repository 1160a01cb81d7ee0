package import FCM

/// Keeps the state. SQLite in earnest, memory for dry runs and tests; both pass one suite.
package protocol StateStore: Sendable {
    /// 32 random bytes, made with the state, that turn registrations into fingerprints.
    var fingerprintKey: [UInt8] { get }

    /// The state as it stands.
    func state() async throws -> RecordedState

    /// What is paused at this moment: a person may pause while a run goes.
    func pauses() async throws -> Pauses

    /// The recipients behind a number, in ascending order, `limit` of them or fewer where there are no more.
    func recipients(after id: RecipientID, limit: Int) async throws -> [KnownRecipient]

    /// Which numbers it has given; `nil` where it cannot tell them from others.
    func numbering() async throws -> Numbering?

    /// What is known of an installation. It may take a look at every recipient: nothing but people asks for one.
    func recipient(for key: RecipientKey) async throws -> KnownRecipient?

    /// How to reach recipients.
    func registrations(of recipients: RecipientSet) async throws -> [RecipientID: Registration]

    /// Writes all changes or none; they survive a crash once this returns.
    func commit(_ changes: [StateChange]) async throws
}

/// Why a state cannot be used.
package enum StateError: Error, Hashable, Sendable {
    /// There is none at that path.
    case missing(path: String)
    /// It is no state, or a part of it makes no sense.
    case damaged(path: String, detail: String)
    /// It belongs to another project or endpoint.
    case bound(path: String, to: String, wanted: String)
    /// Another run has it; `holder` names that run as well as can be told.
    case locked(path: String, holder: String)
    /// It was written by a newer herald.
    case newer(path: String)
    /// The file system refused.
    case inaccessible(path: String, detail: String)
}

extension StateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let path):
            "there is no state at \(path); 'herald state init' makes one, or the first apply"
        case .damaged(let path, let detail): "the state \(path) is damaged: \(detail)"
        case .bound(let path, let bound, let wanted):
            "the state \(path) belongs to \(bound), not to \(wanted); set HERALD_STATE or 'state' to another file"
        case .locked(let path, let holder): "the state \(path) is in use by \(holder)"
        case .newer(let path): "the state \(path) was written by a newer herald"
        case .inaccessible(let path, let detail): "the state \(path) cannot be used: \(detail)"
        }
    }

    /// Why a step ends for which the state could not be read or written.
    static func reason(_ error: any Error) -> String {
        (error as? StateError)?.description ?? "the state cannot be written or read"
    }
}
