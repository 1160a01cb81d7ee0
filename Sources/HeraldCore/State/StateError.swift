/// Why a state cannot be used.
package enum StateError: Error, Hashable, Sendable {
    /// There is no state at that path.
    case missing(path: String)
    /// There is no state at that path, and only `state init` makes one there.
    case uninitialized(path: String)
    /// There is a state where a new one was asked for.
    case exists(path: String)
    /// It is not a state, or a part of it makes no sense.
    case damaged(path: String, detail: String)
    /// It belongs to another project or endpoint.
    case bound(path: String, to: String, wanted: String)
    /// Another run uses it. `holder` describes that run as well as possible.
    case locked(path: String, holder: String)
    /// It was written by a newer herald.
    case newer(path: String)
    /// It was written by an older herald, and nothing has upgraded it yet.
    case older(path: String)
    /// It was written by an older herald, and only its owner upgrades it.
    case unmigrated(path: String)
    /// It was moved to another place.
    case moved(path: String, to: String)
    /// It is a copy in another database than at the last run.
    case elsewhere(path: String)
    /// What processes that send together write about themselves makes no sense.
    case impossibleCrew(path: String, detail: String)
    /// A `state copy` into it did not end.
    case incomplete(path: String)
    /// The database failed over to a server that may lack what was committed last.
    case failedOver(path: String)
    /// That run does not hold the lock.
    case notLocked(path: String, by: String)
    /// The file system or the server refused. `help` is what to do, if it is known.
    case inaccessible(path: String, detail: String, help: String? = nil)
    /// A newer run has taken over the state, or a person took the lock away. `holder` is the run that may no longer write.
    /// It is empty for a process that helped.
    case leaseLost(holder: String)
    /// Another process gave out numbers that a plan had counted on.
    case numberedOtherwise
    /// An occurrence with outcomes, or one of another campaign, has this id. Opening it again could repeat a send.
    case occurrenceTaken(OccurrenceID)
}

extension StateError {
    /// Whether there is no state yet.
    package var isMissing: Bool {
        switch self {
        case .missing, .uninitialized: true
        default: false
        }
    }
}

extension StateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let path), .uninitialized(let path): "there is no state at \(path)"
        case .exists(let path): "there is a state already at \(path)"
        case .damaged(let path, let detail): "the state \(path) is damaged: \(detail)"
        case .bound(let path, let bound, let wanted):
            "the state \(path) belongs to \(bound), not to \(wanted)"
        case .locked(let path, let holder): "the state \(path) is in use by \(holder)"
        case .newer(let path): "the state \(path) was written by a newer herald"
        case .older(let path), .unmigrated(let path): "the state \(path) was written by an older herald"
        case .moved(let path, let place): "the state \(path) was moved to \(place)"
        case .elsewhere(let path): "the state \(path) is in another database than at the last run"
        case .impossibleCrew(let path, let detail):
            "the state \(path) has figures of a process that sends, and no herald wrote them: \(detail)"
        case .incomplete(let path): "the state \(path) is a copy that is not complete"
        case .failedOver(let path):
            "the database of the state \(path) failed over to a server that may lack what was committed last"
        case .notLocked(let path, let run): "run \(run) does not hold the lock of the state \(path)"
        case .inaccessible(let path, let detail, _): "the state \(path) cannot be used: \(detail)"
        case .leaseLost(""):
            "nothing more is written: the run lost the lock of the state, or goes on without this process"
        case .leaseLost(let holder): "run \(holder) writes nothing more: it lost the lock of the state"
        case .occurrenceTaken(let id): "\(id) is in the state already"
        case .numberedOtherwise: "the state got new registrations after it was read"
        }
    }

    /// What to do about it.
    package var help: String {
        switch self {
        case .missing:
            "'herald state init' or the first apply makes one; if there was one, look at 'state' and HERALD_STATE"
        case .uninitialized: "'herald state init' makes one; if there was one, look at 'state' and HERALD_STATE"
        case .exists: "use that state, or name another place"
        case .damaged: "restore the newest backup, as docs/how-to/state.md says"
        case .bound: "set 'state' or HERALD_STATE to another place; each project and endpoint has a state of its own"
        case .locked:
            "wait until it ends ('herald run' can: --if-locked wait=60s); 'herald state lock' tells who holds it"
        case .newer: "use that herald or a newer one"
        case .older: "run 'herald apply' or 'herald run', which upgrades it"
        case .unmigrated: "let the owner of its schema run 'herald state migrate'"
        case .moved: "set 'state' or HERALD_STATE to that place"
        case .elsewhere:
            "if it is the right one, 'herald apply --override state_moved' accepts it; then run the command again"
        case .impossibleCrew:
            "the next run begins these figures anew: wait until this run ends, or end it with 'herald state unlock RUN'"
        case .incomplete: "run the same 'herald state copy' again"
        case .failedOver: "run 'herald apply' on a terminal: it says which occurrences are in doubt"
        case .notLocked: "'herald state lock' tells who holds it"
        case .inaccessible(_, _, let help): help ?? "look at its path and who may use it, or at the database server"
        case .leaseLost: "run the command again once 'herald state lock' names no run"
        case .occurrenceTaken, .numberedOtherwise: "run the command again"
        }
    }

    /// Why a step ends when the state could not be read or written.
    static func reason(_ error: any Error) -> String {
        (error as? StateError)?.description ?? "the state cannot be written or read"
    }
}
