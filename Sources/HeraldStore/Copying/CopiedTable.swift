/// A table that states in files and in PostgreSQL have alike.
package struct CopiedTable: Sendable {
    let name: String
    let columns: [Column]
    /// How many of the first columns are the key. Rows are sorted by it.
    var keys = 1
    /// Whether it has so many rows that they are read in parts.
    var isLarge = false
    /// Whether PostgreSQL gives out the key.
    var isNumbered = false

    struct Column: Sendable {
        let name: String
        let kind: Kind
        enum Kind { case int, real, text, flag }
    }

    static let all: [CopiedTable] = [
        .init("recipient", ["id": .int, "registration": .text], isLarge: true),
        .init("topic", ["id": .int, "name": .text, "changed": .real, "awaits_file": .flag], isNumbered: true),
        .init("device_group", ["id": .int, "name": .text, "notification_key": .text], isNumbered: true),
        .init(
            "occurrence",
            [
                "id": .int, "name": .text, "campaign": .text, "revision": .int, "due": .real, "content_digest": .text,
                "target": .text, "finished": .real, "pruned": .flag, "halted": .text,
                "begun": .real, "reopened": .flag, "suspended": .real, "local": .text,
                "stages": .text, "unseen": .real, "done": .flag,
            ], isNumbered: true),
        .init("code", ["id": .int, "code": .text], isNumbered: true),
        .init(
            "message_class", ["id": .int, "locale": .text, "variant": .text, "holdout": .flag], isNumbered: true),
        .init("ledger_count", ["occurrence": .int, "state": .int, "members": .int], keys: 2),
        .init("rejection_count", ["occurrence": .int, "state": .int, "members": .int], keys: 2),
        .init(
            "tombstone",
            [
                "recipient": .int, "registration": .text, "died": .real, "migrated": .flag, "noted_run": .text,
                "noted_number": .int, "told": .flag,
            ], keys: 2,
            isLarge: true),
        .init("former", ["id": .int, "recipient": .int, "registration": .text], isLarge: true),
        .init("former_name", ["campaign": .text, "name": .text], keys: 2),
        .init("watermark", ["campaign": .text, "at": .real, "schedule": .text, "next": .real, "first": .real]),
        .init("pause", ["campaign": .text]),
        .init(
            "test",
            [
                "id": .int, "campaign": .text, "at": .real, "accepted": .int, "rejected": .int, "unknown": .int,
            ], isNumbered: true),
        .init("spent_plan", ["id": .text]), .init("audience_size", ["name": .text, "size": .int]),
        .init("applied_commit", ["number": .int, "id": .text, "committed": .real], isNumbered: true),
        .init("approval", ["resource": .text, "digest": .text, "size": .int, "approved_by": .text, "at": .real]),
        .init("stamp", ["number": .int, "id": .text]), .init("note", ["name": .text, "value": .text]),
        .init("counted", ["id": .int, "name": .text], isNumbered: true),
        .init("reading", ["id": .int, "name": .text], isNumbered: true),
        .init("start_class", ["id": .int, "name": .text, "until": .real], isNumbered: true),
    ]

    private init(
        _ name: String, _ columns: KeyValuePairs<String, Column.Kind>, keys: Int = 1, isLarge: Bool = false,
        isNumbered: Bool = false
    ) {
        self.name = name
        self.columns = columns.map { Column(name: $0, kind: $1) }
        (self.keys, self.isLarge, self.isNumbered) = (keys, isLarge, isNumbered)
    }

    var list: String { columns.map(\.name).joined(separator: ", ") }

    var keyList: String { columns.prefix(keys).map(\.name).joined(separator: ", ") }
}

/// A table of recipient sets. Each store keeps them in a form of its own.
package struct CopiedSets: Sendable {
    let name: String
    let owner: String

    static let all: [CopiedSets] = [
        .init(name: "membership", owner: "topic"), .init(name: "group_membership", owner: "device_group"),
        .init(name: "ledger", owner: "occurrence"), .init(name: "rejection", owner: "occurrence"),
        .init(name: "assignment", owner: "occurrence"), .init(name: "wave", owner: "occurrence"),
        .init(name: "start", owner: "counted"), .init(name: "observation", owner: "reading"),
    ]
}

/// A value in a row. A truth value is 0 or 1.
package enum CopiedValue: Hashable, Sendable {
    case null
    case int(Int64)
    case real(Double)
    case text(String)
}

/// What a state has once.
package struct CopiedHead: Hashable, Sendable {
    var lineage: String
    var project: String
    var endpoint: String
    /// A state in a file may name none.
    var workspace: String?
    var created: Double
    var fingerprintKey: [UInt8]
    var serial: Int64
    var lastErased: Int64
    var topicAPI: String?
    var topicAPIFound: Double?
    var sendQuota: Int64?
    var sendQuotaFound: Double?
    var countingSince: Double?
}
