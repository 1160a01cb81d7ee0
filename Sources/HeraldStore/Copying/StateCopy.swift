internal import Dispatch
internal import HeraldCore

/// Moves a state to another place. At every moment exactly one of the two can be used, or none: the copy is closed until
/// the source is sealed. Doing it again completes what a crash cut short; a sealed state is never copied anew.
package enum StateCopy {
    package enum Result: Hashable, Sendable {
        case moved(recipients: Int)
        /// It was there already.
        case wasMoved
    }

    /// The caller holds the source's lock, unless the source is sealed.
    ///
    /// - Parameter note: notes outside of both states what must be known of the copy. Called before the source is sealed,
    ///   so that a crash cannot leave a copy that goes on without it.
    package static func move(
        from source: any StateLocation, to destination: any StateLocation,
        noting note: @escaping @Sendable () -> Void = {}
    ) async throws -> Result {
        let (source, destination) = (source.copyPlace, destination.copyPlace)
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "herald.copy").async {
                continuation.resume(with: Swift.Result { try move(from: source, to: destination, noting: note) })
            }
        }
    }

    private static func move(
        from source: any CopyPlace, to destination: any CopyPlace, noting note: () -> Void
    ) throws -> Result {
        switch try source.status() {
        case .absent: throw StateError.missing(path: source.name)
        case .closed: throw StateError.incomplete(path: source.name)
        case .sealed(let lineage, let place):
            guard place == destination.name else { throw StateError.moved(path: source.name, to: place) }
            return try complete(lineage, from: source, to: destination)
        case .open(let lineage):
            let content = try make(destination, from: source, lineage)
            note()
            try source.seal(movedTo: destination.name, content: content)
            try destination.open()
            return .moved(recipients: content.recipients)
        }
    }

    /// The source is sealed already, so it has not changed since.
    private static func complete(
        _ lineage: String, from source: any CopyPlace, to destination: any CopyPlace
    ) throws -> Result {
        switch try destination.status() {
        case .open(lineage): return .wasMoved
        case .closed(lineage):
            let content = try source.read { try CopyDigest($0) }
            try compare(content, with: destination)
            try destination.open()
            return .moved(recipients: content.recipients)
        // The copy was whole before the source was sealed, so it was there and was removed. What was sent from it since
        // is not in the source.
        case .absent: throw lost(destination.name, from: source.name)
        case .sealed(lineage, let next): throw StateError.moved(path: destination.name, to: next)
        case let found: throw inTheWay(found, at: destination.name)
        }
    }

    /// Makes a closed copy and reads it again.
    private static func make(
        _ destination: any CopyPlace, from source: any CopyPlace, _ lineage: String
    ) throws -> CopyDigest {
        let found = try destination.status()
        // The source may have changed since an earlier call made a copy.
        let isAnew = found == .closed(lineage: lineage)
        guard isAnew || found == .absent else { throw inTheWay(found, at: destination.name) }
        let content = try source.read {
            let reader = BlamedReader(reader: $0, place: source)
            let copy = { (writer: any CopyWriter) in try reader.copy(to: writer) }
            if isAnew { try destination.remake(copy) } else { try destination.make(copy) }
            return try CopyDigest(reader)
        }
        try compare(content, with: destination)
        return content
    }

    private static func compare(_ content: CopyDigest, with destination: any CopyPlace) throws {
        let differences = try destination.read { try CopyDigest($0) }.differences(from: content)
        guard differences.isEmpty else {
            throw StateError.damaged(
                path: destination.name, detail: "the copy differs in \(differences.joined(separator: ", "))")
        }
    }

    /// The source was moved to a place where no state is any more.
    static func lost(_ place: String, from name: String) -> StateError {
        .inaccessible(
            path: name, detail: "it was moved to \(place), where there is none any more",
            help: "look for that state or its newest backup: this one does not know what was sent since")
    }

    /// A state is in the way. Nobody can use a sealed one any more.
    private static func inTheWay(_ found: CopyStatus, at name: String) -> StateError {
        guard case .sealed(_, let place) = found else { return .exists(path: name) }
        return .inaccessible(path: name, detail: "it was moved to \(place)", help: "name another place")
    }

    /// Something that is no state of herald's is in the way.
    static func occupied(_ name: String) -> StateError {
        .inaccessible(path: name, detail: "something that is no state is there", help: "name another place")
    }

    /// The source changed after it was copied.
    static func changed(_ name: String) -> StateError {
        .inaccessible(path: name, detail: "it changed while it was copied", help: "run the command again")
    }
}
