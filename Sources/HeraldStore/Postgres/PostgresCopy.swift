/// Rows for a binary `COPY`.
struct PostgresCopy {
    private var rows: [UInt8]
    private let columns: Int16
    private(set) var isEmpty = true

    init(columns: Int16) {
        self.columns = columns
        // The signature, no flags, no extension.
        rows = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [UInt8](repeating: 0, count: 8)
    }

    /// - Parameter values: one for each column, none of them NULL.
    mutating func append(_ values: PostgresValue...) {
        isEmpty = false
        rows += PostgresValue.bigEndian(columns)
        for bytes in values.map({ $0.bytes ?? [] }) {
            rows += PostgresValue.bigEndian(Int32(bytes.count))
            rows += bytes
        }
    }

    /// What is sent.
    var bytes: [UInt8] { rows + PostgresValue.bigEndian(Int16(-1)) }
}
