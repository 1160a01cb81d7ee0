internal import Crypto
internal import FCM

/// Rows that stand in one place: in a list, or beside an audience's, a group's or a campaign's name.
struct RowSource: Sendable {
    /// SHA-256 over what decides whose members its rows are: which list it is, which audiences take its rows by which
    /// filters. Of rows that stand in the workspace's own files it covers the rows themselves.
    var key: [UInt8]
    /// Whose members its rows make, in an order that the key decides.
    var owners: [RecipientIndex.Owner]
    /// Of a list.
    var reading: ListReading?
}

/// What was read of a list.
struct ListReading: Hashable, Sendable {
    /// SHA-256 of its content, unpacked.
    var content: [UInt8]
    /// The file it was read from, where an unchanged identity means an unchanged content.
    var identity: FileIdentity?

    init(content: [UInt8], identity: FileIdentity?) { (self.content, self.identity) = (content, identity) }

    /// - Parameters:
    ///   - before: of the file, before it was read.
    ///   - after: of it when it had been read.
    ///   - begin: when that began, in nanoseconds since 1970.
    init(content: [UInt8], from before: FileIdentity?, unchangedAs after: FileIdentity?, at begin: Int64) {
        let isSettled = before == after && before?.isSettled(at: begin) ?? false
        self.init(content: content, identity: isSettled ? before : nil)
    }
}

/// Whom the rows of a source name, by the state's numbers.
struct SourceMembers: Sendable {
    /// For each of the source's owners.
    var members: [RecipientSet]
    /// How many rows stand in a list a second time.
    var repeated: Int
    /// Whether every row names its recipient by the registration that the state has.
    var isPlain: Bool
}

/// Rows of which it is known, before the state is looked at, which of its recipients they name.
struct MatchedRows: Sendable {
    /// The numbers that this holds for.
    var numbering: Numbering
    /// For each source of the index.
    var sources: [SourceMembers]
    /// How many names fell together besides repeated rows, where this was counted for the same sources.
    var crossing = 0
    /// What rows were matched with; `nil` where none had to be.
    var numbers: RecipientNumbers?
    /// Whether a recipient has rows that were matched, and others that could not be: nobody can tell then what the
    /// recipient's rows are together, and everything has to be read and sorted.
    var isContradicted = false
    /// Whether the cache has all of it, with what is known of the lists' files now.
    var isInCache = false
}

extension RowSource {
    init(list name: String, takers: [RowClassifier.Taker], columns: [String]) {
        var text = KeyText("list")
        text.add(name)
        text.add(columns)
        for taker in takers {
            text.add(taker.owner.text)
            text.add([taker.list == nil ? "derived" : "named", taker.parent.map(String.init) ?? ""])
            for filter in taker.filters {
                text.add(filter.column.value)
                text.add(filter.values.sorted())
            }
            text.add("end")
        }
        key = text.digest
        owners = takers.map(\.owner)
    }

    /// - Parameter takers: of an audience's rows; nothing of a group's or a campaign's.
    init(inline registrations: [Registration], of owner: RecipientIndex.Owner, takers: [RowClassifier.Taker]) {
        self.init(list: "", takers: takers, columns: [])
        var text = KeyText("inline")
        text.add(owner.text)
        text.add(registrations.map(\.rawValue).joined(separator: "\n"))
        key = KeyText.digest(of: key + text.digest)
        if takers.isEmpty { owners = [owner] }
    }

    /// SHA-256 over which source's registrations count more than which other's.
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

/// Texts one behind the other, each told apart from its neighbours by its length.
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
