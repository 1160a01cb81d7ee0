internal import GRDB

/// Which owners' rows of a `ChunkTable` are read.
struct Owners {
    private let wanted: Wanted

    private enum Wanted {
        case all
        case one(Int64)
        case among(String)
        case notAmong(String)
    }

    static let all = Owners(wanted: .all)

    static func one(_ id: Int64) -> Owners { .init(wanted: .one(id)) }

    /// - Parameter query: an SQL query that returns ids.
    static func among(_ query: String) -> Owners { .init(wanted: .among(query)) }

    /// Also matches rows whose owner does not exist.
    static func notAmong(_ query: String) -> Owners { .init(wanted: .notAmong(query)) }

    /// - Parameter column: the column with the owner's id.
    func condition(on column: String) -> String {
        switch wanted {
        case .all: "TRUE"
        case .one: "\(column) = ?"
        case .among(let query): "\(column) IN (\(query))"
        case .notAmong(let query): "(\(column) IN (\(query))) IS NOT TRUE"
        }
    }

    var arguments: StatementArguments {
        if case .one(let id) = wanted { [id] } else { [] }
    }
}
