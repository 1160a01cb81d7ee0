internal import FCM

/// Gives every listed installation its number, the record's where it has one, and knows how each is best reached.
struct RecipientNumbers {
    private var ids: [RecipientKey: RecipientID]
    private var next: RecipientID
    private var listed: Set<Registration> = []
    private var repeated = 0
    /// How each listed recipient is reached.
    private(set) var registrations: [RecipientID: Registration] = [:]
    /// Recipients that the record does not know.
    private var new: Set<RecipientID> = []

    init(_ known: [RecipientKey: KnownRecipient], next: RecipientID) {
        ids = known.mapValues(\.id)
        self.next = next
    }

    /// How many names fell together, see `Desired.collapsed`.
    var collapsed: Int { repeated + listed.count - registrations.count }

    /// New recipients, and better registrations of known ones.
    func unrecorded(_ known: [RecipientKey: KnownRecipient]) -> [RecipientID: Registration] {
        var unrecorded = registrations.filter { new.contains($0.key) }
        for recipient in known.values {
            if let registration = registrations[recipient.id], registration != recipient.registration {
                unrecorded[recipient.id] = registration
            }
        }
        return unrecorded
    }

    /// The recipients of one list, entry by entry.
    mutating func number(_ list: [Registration]) -> [RecipientID] {
        let distinct = Set(list)
        repeated += list.count - distinct.count
        listed.formUnion(distinct)
        return list.map { registration in
            let id = id(of: registration.recipientKey)
            // A fid reaches an installation whatever its token; among tokens the one listed last is the newest we know.
            if registration.kind == .fid || registrations[id]?.kind != .fid { registrations[id] = registration }
            return id
        }
    }

    private mutating func id(of key: RecipientKey) -> RecipientID {
        if let id = ids[key] { return id }
        defer { next += 1 }
        ids[key] = next
        new.insert(next)
        return next
    }
}
