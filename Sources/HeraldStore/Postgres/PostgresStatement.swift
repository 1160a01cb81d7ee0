internal import Foundation
internal import HeraldCore

/// One statement with its values.
struct PostgresStatement {
    /// Parameters are `$1`, `$2`, …; `@name` is a table or function of the state's schema.
    var text: String
    var values: [PostgresValue]
    /// Whether it is herald's own. In a statement of somebody else `@` means what they wrote.
    var isOfState = true

    init(_ text: String, _ values: PostgresValue...) {
        self.text = text
        self.values = values
    }
}

/// Limits that the server keeps until the end of a transaction, so that nothing goes on there long after this process
/// gave it up or was killed.
extension PostgresStatement {
    /// For questions: each ends when its answer is late. It changes nothing, so that it may be cut off at any moment.
    static func limits(until deadline: ContinuousClock.Instant) -> PostgresStatement {
        let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
        // herald gives up first, and says so.
        return PostgresStatement(
            "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true)",
            .milliseconds(rest + .seconds(1)), .milliseconds(min(.seconds(10), rest * 3 / 4)))
    }

    static func limit(locks: Duration, idle: Duration?) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT set_config('lock_timeout', $1, true),
                set_config('idle_in_transaction_session_timeout', coalesce($2,
                    current_setting('idle_in_transaction_session_timeout')), true)
            """, .milliseconds(locks), idle.map(PostgresValue.milliseconds) ?? .text(nil))
    }
}

extension PostgresValue {
    /// A setting. 0 would be no limit.
    fileprivate static func milliseconds(_ duration: Duration) -> PostgresValue {
        .text("\(max(1, Int(duration.seconds * 1000)))ms")
    }
}

/// A parameter in PostgreSQL's binary format.
struct PostgresValue {
    /// The type's number in `pg_type`.
    let type: UInt32
    /// `nil` is NULL.
    let bytes: [UInt8]?

    private init(_ type: UInt32, _ bytes: [UInt8]?) {
        self.type = type
        self.bytes = bytes
    }

    static func bool(_ value: Bool) -> Self { .init(16, [value ? 1 : 0]) }
    static func bytes(_ value: [UInt8]) -> Self { .init(17, value) }
    static func int(_ value: Int64?) -> Self { .init(20, value.map(bigEndian)) }
    static func int(_ value: Int) -> Self { .int(Int64(value)) }
    static func text(_ value: String?) -> Self { .init(25, value.map { Array($0.utf8) }) }
    static func double(_ value: Double?) -> Self { .init(701, value.map { bigEndian($0.bitPattern) }) }
    static func uuid(_ value: UUID) -> Self { .init(2950, withUnsafeBytes(of: value.uuid) { Array($0) }) }

    /// Seconds since 1970, which keep the fractions that `Date` has.
    static func date(_ value: Date?) -> Self { .double(value?.timeIntervalSince1970) }

    /// `timestamptz`: microseconds since 2000.
    static func times(_ values: some Collection<Date>) -> Self {
        .init(1185, array(of: 1184, values) { bigEndian(Int64(($0.timeIntervalSince1970 - 946_684_800) * 1_000_000)) })
    }

    static func ints(_ values: some Collection<Int64>) -> Self { .init(1016, array(of: 20, values) { bigEndian($0) }) }
    static func texts(_ values: some Collection<String>) -> Self {
        .init(1009, array(of: 25, values) { Array($0.utf8) })
    }

    static func byteArrays(_ values: some Collection<[UInt8]>) -> Self { .init(1001, array(of: 17, values) { $0 }) }

    /// Bit strings whose lengths are multiples of 8.
    static func bits(_ values: some Collection<[UInt8]>) -> Self {
        .init(1563, array(of: 1562, values) { bigEndian(Int32($0.count * 8)) + $0 })
    }

    private static func array<Element>(
        of type: UInt32, _ elements: some Collection<Element>, _ encode: (Element) -> [UInt8]
    ) -> [UInt8] {
        // Dimensions, no NULLs, the type of the elements; then size and lower bound of the one dimension.
        var bytes = bigEndian(Int32(elements.isEmpty ? 0 : 1)) + bigEndian(Int32(0)) + bigEndian(type)
        if !elements.isEmpty { bytes += bigEndian(Int32(elements.count)) + bigEndian(Int32(1)) }
        for element in elements {
            let encoded = encode(element)
            bytes += bigEndian(Int32(encoded.count))
            bytes += encoded
        }
        return bytes
    }

    static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
