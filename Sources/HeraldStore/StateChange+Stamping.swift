internal import GRDB
internal import HeraldCore

extension StateChange {
    /// Does to the table what `Stamps.add` does to the value.
    static func stamp(_ id: String, outgrowing number: Int64?, _ db: Database) throws {
        let last = try Int64.fetchOne(db, sql: "SELECT max(number) FROM stamp") ?? 0
        let next = max(last, number ?? 0) + 1
        let oldest = number == nil ? next - Int64(Stamps.kept) : next - 1
        try db.execute(sql: "DELETE FROM stamp WHERE number <= ?", arguments: [oldest])
        try db.execute(sql: "INSERT INTO stamp (number, id) VALUES (?, ?)", arguments: [next, id])
    }
}

extension StateReader {
    func stamps() throws -> Stamps {
        let rows = try Row.fetchAll(db, sql: "SELECT number, id FROM stamp ORDER BY number")
        return try StoredValue.stamps(rows.map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) })
    }
}
