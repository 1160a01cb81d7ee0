package import HeraldCore

/// A place where a state is, or may be made by copying another one. Its calls block.
package protocol CopyPlace: Sendable {
    /// The name in messages, which is also the note that a sealed state has of where it went.
    var name: String { get }

    func status() throws -> CopyStatus

    /// Reads the state as it is at one moment, also if it is closed or sealed.
    func read<Value>(_ body: (any CopyReader) throws -> Value) throws -> Value

    /// Makes a closed state, completely or not at all. There must be none.
    func make(_ body: (any CopyWriter) throws -> Void) throws

    /// Makes a closed state in place of the closed one that is there, completely or not at all.
    func remake(_ body: (any CopyWriter) throws -> Void) throws

    /// Lets nobody use the state any more, and notes where it went, if it still has that content.
    func seal(movedTo place: String, content: CopyDigest) throws

    /// Opens a closed state.
    func open() throws

    /// Replaces errors of the store by what is wrong with this state.
    func stateError(_ error: any Error) -> StateError
}

/// What there is in a place.
package enum CopyStatus: Hashable, Sendable {
    case absent
    /// A copy that nobody uses yet.
    case closed(lineage: String)
    case open(lineage: String)
    case sealed(lineage: String, movedTo: String)
}

/// Reads a state's tables in one transaction.
package protocol CopyReader {
    func head() throws -> CopiedHead

    /// Rows after a key, sorted. All rows of a table that is not large.
    func rows(of table: CopiedTable, after key: [CopiedValue]?) throws -> [[CopiedValue]]

    /// The sets of one owner, by state.
    func sets(of sets: CopiedSets, owner: Int64) throws -> [Int: RecipientSet]
}

/// Reads a state whose errors name its place, also between what is written to another place.
struct BlamedReader: CopyReader {
    let reader: any CopyReader
    let place: any CopyPlace

    func head() throws -> CopiedHead { try blamed { try reader.head() } }

    func rows(of table: CopiedTable, after key: [CopiedValue]?) throws -> [[CopiedValue]] {
        try blamed { try reader.rows(of: table, after: key) }
    }

    func sets(of sets: CopiedSets, owner: Int64) throws -> [Int: RecipientSet] {
        try blamed { try reader.sets(of: sets, owner: owner) }
    }

    private func blamed<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw place.stateError(error) }
    }
}

/// Writes a state's tables in one transaction.
package protocol CopyWriter {
    func write(_ head: CopiedHead) throws
    func write(_ rows: [[CopiedValue]], to table: CopiedTable) throws
    func write(_ members: RecipientSet, of owner: Int64, as state: Int, to sets: CopiedSets) throws
}

extension CopyReader {
    /// How many rows of a large table are read at once.
    static var part: Int { 20_000 }

    func eachPart(of table: CopiedTable, _ body: ([[CopiedValue]]) throws -> Void) throws {
        var rows = try rows(of: table, after: nil)
        while !rows.isEmpty {
            try body(rows)
            guard table.isLarge, let last = rows.last else { return }
            rows = try self.rows(of: table, after: Array(last.prefix(table.keys)))
        }
    }

    func eachSet(
        of sets: CopiedSets, _ body: (_ owner: Int64, _ state: Int, RecipientSet) throws -> Void
    ) throws {
        guard let table = CopiedTable.all.first(where: { $0.name == sets.owner }) else { return }
        try eachPart(of: table) { rows in
            for row in rows {
                guard case .int(let owner)? = row.first else { continue }
                for (state, members) in try self.sets(of: sets, owner: owner).sorted(by: { $0.key < $1.key })
                where !members.isEmpty {
                    try body(owner, state, members)
                }
            }
        }
    }

    func copy(to writer: any CopyWriter) throws {
        try writer.write(head())
        for table in CopiedTable.all { try eachPart(of: table) { try writer.write($0, to: table) } }
        for sets in CopiedSets.all { try eachSet(of: sets) { try writer.write($2, of: $0, as: $1, to: sets) } }
    }
}
