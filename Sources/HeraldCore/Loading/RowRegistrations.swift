internal import FCM

/// The registrations of a row: one, or a fid and a token of the same installation.
struct RowRegistrations {
    /// The one that counts as long as it lives.
    let first: UnsafeBufferPointer<UInt8>
    /// The token beside a fid.
    var other: UnsafeBufferPointer<UInt8>?

    init(_ first: UnsafeBufferPointer<UInt8>) { self.first = first }
}

extension RecipientIndexBuilder {
    /// Adds a row by each of its registrations. Between those of one row the fid counts (`RecipientPass.registration`).
    mutating func add(
        _ registrations: RowRegistrations, _ membershipClass: UInt32, row: Int, seen: UInt32?,
        values: UnsafeRawBufferPointer = .init(start: nil, count: 0)
    ) {
        add(registrations.first, membershipClass, row: row, seen: seen, values: values)
        guard let other = registrations.other else { return }
        add(other, membershipClass, row: row, seen: seen, values: values)
    }
}
