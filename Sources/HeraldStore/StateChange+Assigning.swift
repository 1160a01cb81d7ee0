internal import GRDB
internal import HeraldCore

extension StateChange {
    /// Writes who gets which text, in the place of what was said before. Without anybody, nobody is in a wave either.
    static func assign(_ classes: Partition<MessageClass>, in occurrence: OccurrenceID, _ db: Database) throws {
        guard let id = try idWithLedger(of: occurrence, db) else { return }
        try ChunkTable.assignment.drop(id, db)
        if classes.isEmpty { try ChunkTable.wave.drop(id, db) }
        for messageClass in classes.states.sorted() {
            guard let number = try number(of: messageClass, db) else { continue }
            try ChunkTable.assignment.insert(classes[messageClass], of: id, as: number, db)
        }
    }

    /// Puts recipients into waves.
    static func place(_ waves: Partition<Date>, in occurrence: OccurrenceID, _ db: Database) throws {
        guard let id = try idWithLedger(of: occurrence, db) else { return }
        for instant in waves.states.sorted() {
            try ChunkTable.wave.move(waves[instant], of: id, to: WaveSecond(instant), db)
        }
    }

    private static func number(of messageClass: MessageClass, _ db: Database) throws -> ClassNumber? {
        let values: StatementArguments = [messageClass.locale, messageClass.variant, messageClass.isHoldout]
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO message_class (locale, variant, holdout) VALUES (?, ?, ?)"
        ).execute(arguments: values)
        let statement = try db.cachedStatement(
            sql: "SELECT id FROM message_class WHERE locale IS ? AND variant IS ? AND holdout = ?")
        return try Int.fetchOne(statement, arguments: values).map(ClassNumber.init)
    }
}
