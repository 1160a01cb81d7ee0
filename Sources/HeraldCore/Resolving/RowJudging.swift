internal import Dispatch
internal import Synchronization

/// Judges rows for personal campaigns on the other cores, while whoever finds the rows goes on.
struct RowJudging {
    /// A personal campaign, and whose rows it goes to.
    struct Send: Sendable {
        let campaign: String
        let owner: RecipientIndex.Owner
        let messages: PersonalMessages

        init(_ campaign: String, to owner: RecipientIndex.Owner, _ messages: PersonalMessages) {
            (self.campaign, self.owner, self.messages) = (campaign, owner, messages)
        }
    }

    /// So many bytes of rows are handed over at once.
    private static let batchSize = 64 << 10
    /// So many batches wait for other cores or are judged there, so that memory stays bounded.
    private static let most = 4

    private let sends: [Send]
    private let owners: [ValueNeed.Owner]
    private var batch = JudgingBatch(size: 0)
    private let queue = DispatchQueue(label: "herald.rows", attributes: .concurrent)
    private let group = DispatchGroup()
    private let room = DispatchSemaphore(value: most)
    /// Those that no core is using.
    private let idle = Idle()

    /// - Parameter owners: whose rows come. Rows name them by place.
    init(for sends: [Send], _ owners: [ValueNeed.Owner]) { (self.sends, self.owners) = (sends, owners) }

    /// - Parameter owner: the owner's place.
    mutating func add(_ row: ValueFile.Row, of owner: Int) {
        if sends.isEmpty { return }
        batch.append(row, of: owner)
        if batch.size >= Self.batchSize { handOver() }
    }

    private mutating func handOver() {
        let full = batch
        batch = JudgingBatch(size: Self.batchSize)
        // Where the others are behind, this core helps instead of waiting for them.
        guard room.wait(timeout: .now()) == .success else { return judge(full) }
        queue.async(group: group) { [self] in
            judge(full)
            room.signal()
        }
    }

    private func judge(_ batch: JudgingBatch) {
        var judge = idle.take() ?? RowJudge(sends, owners)
        judge.judge(batch)
        idle.give(judge)
    }

    /// Waits until every row is judged. What came of them is in the order of the campaigns that asked.
    consuming func finish() -> [JudgedRows] {
        if sends.isEmpty { return [] }
        group.wait()
        var judge = idle.take() ?? RowJudge(sends, owners)
        judge.judge(batch)
        while let other = idle.take() { judge.add(other) }
        return judge.judged
    }

    private final class Idle: Sendable {
        private let judges = Mutex<[RowJudge]>([])

        func take() -> RowJudge? { judges.withLock { $0.popLast() } }
        func give(_ judge: RowJudge) { judges.withLock { $0.append(judge) } }
    }
}

/// Copies of some rows.
private struct JudgingBatch: Sendable {
    private struct Row {
        var id: RecipientID
        var (owner, line): (Int, Int)
        var (keySize, size): (Int, Int)
    }

    private var rows: [Row] = []
    private var bytes: [UInt8] = []

    /// - Parameter size: how many bytes are expected.
    init(size: Int) {
        rows.reserveCapacity(size / 48)
        bytes.reserveCapacity(size)
    }

    var size: Int { bytes.count }

    mutating func append(_ row: ValueFile.Row, of owner: Int) {
        rows.append(
            Row(
                id: row.id, owner: owner, line: row.line, keySize: row.key.count, size: row.key.count + row.bytes.count)
        )
        bytes.append(contentsOf: row.key)
        bytes.append(contentsOf: row.bytes)
    }

    /// Calls `body` with each row and the place of its owner.
    func each(_ body: (ValueFile.Row, Int) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            var place = 0
            for row in rows {
                let (keyEnd, end) = (place + row.keySize, place + row.size)
                body(
                    ValueFile.Row(
                        id: row.id, key: .init(.init(rebasing: bytes[place..<keyEnd])), line: row.line,
                        bytes: .init(rebasing: bytes[keyEnd..<end])),
                    row.owner)
                place = end
            }
        }
    }
}

/// What one core has judged.
private struct RowJudge: Sendable {
    /// By campaign.
    private(set) var judged: [JudgedRows]
    private let messages: [PersonalMessages]
    private let places: [FieldPlaces]
    /// The campaigns that go to an owner's rows, by the owner's place.
    private let sends: [[Int]]

    init(_ sends: [RowJudging.Send], _ owners: [ValueNeed.Owner]) {
        // Cores that count references to the same values would wait for each other.
        messages = sends.map(\.messages.copied)
        judged = sends.map { JudgedRows($0.messages) }
        places = sends.map { send in
            let columns = owners.first { $0.owner == send.owner }?.columns ?? []
            return FieldPlaces(of: send.messages.content.fields, among: columns)
        }
        self.sends = owners.map { owner in sends.indices.filter { sends[$0].owner == owner.owner } }
    }

    mutating func judge(_ batch: JudgingBatch) {
        batch.each { row, owner in
            for send in sends[owner] {
                places[send].pick(from: row) { judged[send].judge($0, messages[send]) }
            }
        }
    }

    mutating func add(_ other: RowJudge) {
        for place in judged.indices { judged[place].add(other.judged[place]) }
    }
}
