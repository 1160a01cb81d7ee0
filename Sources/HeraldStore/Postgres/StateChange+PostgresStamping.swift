internal import HeraldCore

extension StateChange {
    /// Does to the table what `Stamps.add` does to the value.
    static func stamp(_ id: String, outgrowing number: Int64?, _ transaction: PostgresTransaction) {
        // A person may pause while a run begins.
        transaction.run("LOCK TABLE @stamp IN SHARE ROW EXCLUSIVE MODE")
        transaction.run(
            """
            INSERT INTO @stamp (number, id) SELECT greatest(coalesce(max(number), 0), $2::bigint) + 1, $1::text FROM @stamp
            """, .text(id), .int(number ?? 0))
        let kept = number == nil ? Stamps.kept : 1
        transaction.run(
            "DELETE FROM @stamp WHERE number <= (SELECT max(number) FROM @stamp) - $1::bigint", .int(Int64(kept)))
    }
}

extension PostgresReader {
    static let stamps: PostgresStatement = "SELECT number, id FROM @stamp ORDER BY number"

    static func stamps(_ rows: PostgresRows) throws -> Stamps {
        try StoredValue.stamps(rows.all.map { (try $0.int(0), try $0.text(1)) })
    }
}
