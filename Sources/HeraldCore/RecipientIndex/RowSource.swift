internal import Crypto
internal import FCM

/// Rows from one place: from a list, or from the file of an audience, a group or a campaign.
struct RowSource: Sendable {
    /// SHA-256 over what decides the owners of its rows: the list, and which audiences take its rows with which
    /// filters. For rows in the workspace's own files it covers the rows too.
    var key: [UInt8]
    /// The owners of its rows, in an order that depends only on the key.
    var owners: [RecipientIndex.Owner]
    /// For a list only.
    var reading: ListReading?
}

/// What was read from a list.
struct ListReading: Hashable, Sendable {
    /// SHA-256 of the content, after decompression.
    var content: [UInt8]
    /// The file it was read from, if an unchanged identity proves unchanged content.
    var identity: FileIdentity?

    init(content: [UInt8], identity: FileIdentity?) { (self.content, self.identity) = (content, identity) }

    /// - Parameters:
    ///   - before: the file's identity before it was read.
    ///   - after: the identity after it was read.
    ///   - begin: when reading began, in nanoseconds since 1970.
    init(content: [UInt8], from before: FileIdentity?, unchangedAs after: FileIdentity?, at begin: Int64) {
        let isSettled = before == after && before?.isSettled(at: begin) ?? false
        self.init(content: content, identity: isSettled ? before : nil)
    }
}

/// The recipients that a source's rows name, by the state's numbers.
struct SourceMembers: Sendable {
    /// One set for each of the source's owners.
    var members: [RecipientSet]
    /// How many rows repeat an earlier row of their list.
    var repeated: Int
    /// Whether every row names its recipient by the registration that the state has.
    var isPlain: Bool
}

/// Rows whose recipients are known without reading the state.
struct MatchedRows: Sendable {
    /// The numbering that this is valid for.
    var numbering: Numbering
    /// One for each source of the index.
    var sources: [SourceMembers]
    /// How many names were merged, apart from repeated rows, if that was counted for the same sources.
    var crossing = 0
    /// As in `ListCache`.
    var withOthers = RecipientSet()
    var dead = RecipientSet()
    /// By `ZoneSorting.Send.key`.
    var zones: [String: [Zone: RecipientSet]] = [:]
    /// When the apps of matched rows were seen last, for rows that say so.
    var seen: [SeenTime] = []
    /// The hash of the numbers that rows were matched with. `nil` if no row had to be matched. The numbers themselves
    /// take too much memory to be kept while a plan is made.
    var hash: SipHash?
    /// Whether a recipient has both rows that were matched and rows that could not be. Then its rows cannot be judged
    /// together, and all lists must be read and sorted.
    var isContradicted = false
    /// Whether the cache already has all of it, including what is now known about the lists' files.
    var isInCache = false
}

extension RowSource {
    /// - Parameters:
    ///   - columns: the attributes that filters use.
    ///   - names: the columns that the registrations come from.
    init(
        list name: String, takers: [RowClassifier.Taker], columns: [String], names: ColumnNames = ColumnNames()
    ) {
        var text = KeyText("list")
        text.add(name)
        text.add([names.token, names.fid, names.seen].map { $0 ?? "" })
        text.add(columns)
        for taker in takers {
            text.add(taker.owner.text)
            text.add([taker.list == nil ? "derived" : "named", taker.parent.map(String.init) ?? ""])
            for filter in taker.filters {
                text.add(filter.column.value)
                text.add(filter.test.isComparison ? [filter.test.words] : filter.values.sorted())
            }
            text.add("end")
        }
        key = text.digest
        owners = takers.map(\.owner)
    }

    /// - Parameter takers: the takers of an audience's rows. Empty for a group or a campaign.
    init(inline registrations: [Registration], of owner: RecipientIndex.Owner, takers: [RowClassifier.Taker]) {
        self.init(list: "", takers: takers, columns: [])
        var text = KeyText("inline")
        text.add(owner.text)
        text.add(registrations.map(\.rawValue).joined(separator: "\n"))
        key = KeyText.digest(of: key + text.digest)
        if takers.isEmpty { owners = [owner] }
    }

    /// SHA-256 over the order of sources, which decides whose registrations are preferred.
    static func order(of owners: [RecipientIndex.Owner]) -> [UInt8] {
        var text = KeyText("order")
        text.add(owners.map(\.text))
        return text.digest
    }
}

extension RecipientIndex.Owner {
    fileprivate var text: String {
        switch self {
        case .audience(let name): "audience:\(name)"
        case .group(let name): "group:\(name)"
        case .campaign(let name): "campaign:\(name)"
        }
    }
}

/// Hashes texts one after the other. Each has its length in front, so that different texts never hash alike.
private struct KeyText {
    private var hash = SHA256()

    init(_ kind: String) { add(kind) }

    mutating func add(_ text: String) {
        hash.update(data: Array("\(text.utf8.count):".utf8))
        hash.update(data: Array(text.utf8))
    }

    mutating func add(_ texts: [String]) {
        add("\(texts.count)")
        for text in texts { add(text) }
    }

    var digest: [UInt8] { Array(hash.finalize()) }

    static func digest(of bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
