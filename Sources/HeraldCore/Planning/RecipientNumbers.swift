internal import FCM

/// Gives every listed installation its number, the record's where it has one, and knows how each is best reached.
struct RecipientNumbers {
    private var ids: [RecipientKey: RecipientID]
    /// Numbers from here on are new.
    private let first: RecipientID
    private var next: RecipientID
    /// Every registration that some list names: its recipient, and the last list that named it.
    private var listed: [Registration: (id: RecipientID, list: Int)] = [:]
    private var lists = 0
    private var repeated = 0
    /// How each listed recipient is reached.
    private(set) var registrations: [RecipientID: Registration] = [:]

    init(_ known: [RecipientKey: KnownRecipient], next: RecipientID) {
        ids = known.mapValues(\.id)
        first = next
        self.next = next
    }

    /// How many names fell together, see `Desired.collapsed`.
    var collapsed: Int { repeated + listed.count - registrations.count }

    /// New recipients, and better registrations of known ones.
    func unrecorded(_ known: [RecipientKey: KnownRecipient]) -> [RecipientID: Registration] {
        var unrecorded = registrations.filter { $0.key >= first }
        for recipient in known.values {
            if let registration = registrations[recipient.id], registration != recipient.registration {
                unrecorded[recipient.id] = registration
            }
        }
        return unrecorded
    }

    /// The recipients of one list, entry by entry.
    mutating func number(_ list: [Registration]) -> [RecipientID] {
        lists += 1
        listed.reserveCapacity(listed.count + list.count)
        return list.map { registration in
            let id: RecipientID
            if let known = listed.index(forKey: registration) {
                id = listed.values[known].id
                if listed.values[known].list == lists { repeated += 1 }
                listed.values[known].list = lists
            } else {
                id = self.id(of: registration.recipientKey)
                listed[registration] = (id, lists)
            }
            // A fid reaches an installation whatever its token; among tokens the one listed last is the newest we know.
            if registration.kind == .fid || registrations[id]?.kind != .fid { registrations[id] = registration }
            return id
        }
    }

    private mutating func id(of key: RecipientKey) -> RecipientID {
        if let id = ids[key] { return id }
        defer { next += 1 }
        ids[key] = next
        return next
    }
}
