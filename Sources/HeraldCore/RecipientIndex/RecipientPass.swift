internal import FCM

/// One pass over all rows, recipient by recipient.
struct RecipientPass {
    /// A recipient that at least one list names.
    struct Recipient {
        var id: RecipientID
        /// Whether the state has the recipient's best registration.
        var isRecorded: Bool
    }

    private var merge: EntryMerge
    private let membershipClasses: [RecipientIndex.MembershipClass]
    private(set) var nextNumber: RecipientID
    /// Notes about every recipient that the state will know after the recipients of this pass are recorded.
    private(set) var notes: RecipientNumbers.Notes?

    // About the recipient that `next` returned last.
    private var key: [UInt8] = []
    private var best: [UInt8] = []
    private var bestRank: UInt64?
    /// The recipient's number in the state, and the rest of its recorded registration.
    private var recorded: RecipientID?
    private var recordedRest: [UInt8] = []
    private var names = NamesOfOne()
    /// The membership classes of its rows, each once.
    private(set) var marks: [UInt32] = []
    private var seenMarks: Set<UInt32> = []

    /// How many names were merged so far: rows that stand in a list twice, and further registrations of one
    /// installation in any list.
    private(set) var collapsed = 0
    /// How many of those are rows that stand in a list twice, by membership class.
    private(set) var repeated: [Int]
    /// The membership classes of recipients listed with several registrations.
    private(set) var mixedMarks: Set<UInt32> = []

    init(
        _ merge: EntryMerge, _ membershipClasses: [RecipientIndex.MembershipClass], next: RecipientID,
        noting notes: RecipientNumbers.Notes? = nil
    ) {
        (self.merge, self.membershipClasses, nextNumber, self.notes) = (merge, membershipClasses, next, notes)
        repeated = [Int](repeating: 0, count: membershipClasses.count)
    }

    /// The best registration of the recipient that `next` returned last. A fid is best, because it reaches an
    /// installation whatever its token is. Among tokens, the one listed last is the newest we know.
    var registration: Registration? { Registration(String(decoding: key + best, as: UTF8.self)) }

    mutating func next() throws(RecipientIndexError) -> Recipient? {
        while let first = merge.head {
            begin(first)
            while let entry = merge.head, entry.key.equals(key) {
                if entry.mark == ListEntry.recorded {
                    guard recorded == nil else { throw .recordedTwice }
                    recorded = entry.row
                    recordedRest.replace(by: entry.rest)
                } else {
                    take(entry)
                }
                try merge.pass()
            }
            if marks.isEmpty {
                if let recorded { notes?.add(key + recordedRest, keyLength: key.count, id: recorded) }
                continue
            }
            collapsed += names.collapsed
            if names.areSeveral { mixedMarks.formUnion(marks) }
            let recipient = try recipient()
            notes?.add(key + best, keyLength: key.count, id: recipient.id)
            return recipient
        }
        return nil
    }

    private mutating func recipient() throws(RecipientIndexError) -> Recipient {
        if let recorded { return Recipient(id: recorded, isRecorded: recordedRest == best) }
        guard nextNumber <= ListedRecipients.lastNumber else { throw .tooMany }
        defer { nextNumber += 1 }
        return Recipient(id: nextNumber, isRecorded: false)
    }

    private mutating func begin(_ entry: ListEntry) {
        key.replace(by: entry.key)
        bestRank = nil
        recorded = nil
        names.begin()
        marks.removeAll(keepingCapacity: true)
        if !seenMarks.isEmpty { seenMarks = [] }
    }

    private mutating func take(_ entry: ListEntry) {
        let lists = membershipClasses[Int(entry.mark)].lists
        repeated[Int(entry.mark)] += names.add(entry, lists)
        note(entry.mark)
        // An entry with a fid has an empty rest, so it comes first, and no later entry outranks it.
        let isFid = entry.restLength == 0 && Registration.fidLength == entry.keyLength
        let rank = isFid ? UInt64.max : UInt64(lists.last ?? 0) << 32 | UInt64(entry.row)
        if let bestRank, rank <= bestRank { return }
        bestRank = rank
        best.replace(by: entry.rest)
    }

    private mutating func note(_ mark: UInt32) {
        if marks.isEmpty {
            marks.append(mark)
        } else if marks.last != mark {
            if seenMarks.isEmpty { seenMarks = Set(marks) }
            if seenMarks.insert(mark).inserted { marks.append(mark) }
        }
    }
}

/// Counts how often an installation is named. Its entries arrive sorted by registration.
private struct NamesOfOne {
    /// The current registration and the lists that named it. The lists of its first row wait in `first` until there is
    /// a second row.
    private var registration: [UInt8] = []
    private var lists: Set<Int> = []
    private var first: [Int] = []
    private var registrations = 0
    private var repeated = 0

    /// Names beyond the first: of each registration in each list, and of the installation.
    var collapsed: Int { repeated + max(0, registrations - 1) }

    var areSeveral: Bool { registrations > 1 }

    mutating func begin() { (registrations, repeated) = (0, 0) }

    /// Returns how many of the lists had already named the registration.
    mutating func add(_ entry: ListEntry, _ named: [Int]) -> Int {
        guard registrations > 0, entry.rest.equals(registration) else {
            registrations += 1
            registration.replace(by: entry.rest)
            first = named
            if !lists.isEmpty { lists.removeAll(keepingCapacity: true) }
            return 0
        }
        if lists.isEmpty { lists.formUnion(first) }
        let again = named.count { !lists.insert($0).inserted }
        repeated += again
        return again
    }
}

extension [UInt8] {
    fileprivate mutating func replace(by bytes: UnsafeRawBufferPointer) {
        removeAll(keepingCapacity: true)
        append(contentsOf: bytes)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func equals(_ bytes: [UInt8]) -> Bool {
        count == bytes.count && bytes.withUnsafeBytes { compared(to: $0) == 0 }
    }
}
