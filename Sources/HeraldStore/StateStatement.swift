internal import Foundation
internal import GRDB

/// One statement that changes a state in a file and a state in PostgreSQL in the same way.
struct StateStatement {
    /// Parameters are `$1`, `$2`, …; `@name` is a table of the state.
    let text: String
    let values: [Value]

    enum Value {
        case text(String?), int(Int64?), real(Double?)

        static func int(_ value: Int) -> Value { .int(Int64(value)) }

        /// Seconds since 1970, which keep the fractions that `Date` has.
        static func date(_ value: Date?) -> Value { .real(value?.timeIntervalSince1970) }
    }

    init(_ text: String, _ values: Value...) { self.init(text, values) }

    init(_ text: String, _ values: [Value]) { (self.text, self.values) = (text, values) }
}

// MARK: In a file

extension StateStatement {
    func run(in db: Database) throws { try prepared(db).execute(arguments: arguments) }

    /// Whether a query finds anything.
    func finds(in db: Database) throws -> Bool { try Row.fetchOne(prepared(db), arguments: arguments) != nil }

    private func prepared(_ db: Database) throws -> Statement {
        try db.cachedStatement(sql: text.replacing("@", with: "").replacing("$", with: "?"))
    }

    private var arguments: StatementArguments {
        StatementArguments(
            values.map { value -> (any DatabaseValueConvertible)? in
                switch value {
                case .text(let text): text
                case .int(let number): number
                case .real(let number): number
                }
            })
    }
}

// MARK: In PostgreSQL

extension PostgresStatement {
    init(_ statement: StateStatement) {
        self.init(statement.text)
        values = statement.values.map { value in
            switch value {
            case .text(let text): .text(text)
            case .int(let number): .int(number)
            case .real(let number): .double(number)
            }
        }
    }
}
