import FCM

/// The script from `PUT /emulator/v1/faults`, with its counts.
///
/// Every entry counts the requests that match it, even if another entry applies. The first entry that chooses a request
/// applies.
struct FaultScript: Sendable {
    private(set) var entries: [Entry] = []

    struct Entry: Sendable {
        let match: FaultMatch
        let fault: Fault
        /// The entry as received. A seed is added if it had none.
        let source: JSONValue
        /// How many requests matched, and how many of them had the fault.
        fileprivate(set) var matched = 0
        fileprivate(set) var faulted = 0
    }

    /// Whether some entry needs more of a request than its service.
    private(set) var asksForDetails = false
    /// Whether a connection may get a GOAWAY.
    private(set) var mayGoAway = false

    init() {}

    /// Counts a request and returns its fault, or `nil`.
    mutating func fault(for subject: FaultSubject) -> Fault? {
        var chosen: Fault?
        for index in entries.indices where entries[index].match.fits(subject) {
            entries[index].matched += 1
            guard chosen == nil, entries[index].match.chooses(entries[index].matched) else { continue }
            entries[index].faulted += 1
            chosen = entries[index].fault
        }
        return chosen
    }

    var json: JSONValue {
        .array(
            entries.map { entry in
                var members = entry.source.object ?? [:]
                members["counts"] = ["matched": .int(Int64(entry.matched)), "faulted": .int(Int64(entry.faulted))]
                return .object(members)
            })
    }
}

extension FaultScript {
    private static let maximumEntries = 1000

    /// Reads a script. Entries without a seed get one from the time.
    init(parsing body: [UInt8], at now: Date) throws(FaultScriptError) {
        try self.init(parsing: body) { Int64((now.microsecondsSince1970 &+ $0).scrambled & UInt64(Int32.max)) }
    }

    /// - Parameter drawSeed: makes the seed for an entry that has a probability but no seed. Its argument is the
    ///   entry's number.
    /// - Throws: what is wrong, and where.
    init(parsing body: [UInt8], drawSeed: (Int) -> Int64) throws(FaultScriptError) {
        let document: JSONValue
        do { document = try JSONValue(parsing: body) } catch {
            throw FaultScriptError("", "this is no JSON: \(error.words)")
        }
        guard let elements = document.array else { throw FaultScriptError("", "faults are a JSON array of objects") }
        guard elements.count <= Self.maximumEntries else {
            throw FaultScriptError("", "\(elements.count) entries are more than \(Self.maximumEntries)")
        }
        for (index, element) in elements.enumerated() {
            entries.append(try Self.entry(element, place: "[\(index)]") { drawSeed(index) })
        }
        asksForDetails = entries.contains { $0.match.registration != nil || $0.match.topic != nil }
        mayGoAway = entries.contains { $0.fault.ending == .goingAway }
    }

    private static func entry(
        _ element: JSONValue, place: String, _ drawSeed: () -> Int64
    ) throws(FaultScriptError) -> Entry {
        var reader = try FaultReader(element, place: place)
        let matchSource = reader.take("match") ?? [:]
        guard let doSource = reader.take("do") else { throw FaultScriptError(place, "'do' is missing") }
        try reader.finish()
        var match = try FaultMatch(reading: FaultReader(matchSource, place: "\(place).match"))
        let fault = try Fault(reading: FaultReader(doSource, place: "\(place).do"), for: match.service)
        var matchMembers = matchSource.object ?? [:]
        if match.probability != nil, matchMembers["seed"] == nil {
            match.seed = drawSeed()
            matchMembers["seed"] = .int(match.seed)
        }
        return Entry(match: match, fault: fault, source: ["match": .object(matchMembers), "do": doSource])
    }
}

/// What is wrong with a script.
struct FaultScriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// For example `[0].do.status`. Empty for the whole script.
    let place: String
    let message: String

    init(_ place: String, _ message: String) {
        self.place = place
        self.message = message
    }

    var description: String { place.isEmpty ? message : "\(place): \(message)" }
}

extension Error {
    /// Foundation's error text, with the line number if there is one.
    fileprivate var words: String {
        guard case .dataCorrupted(let context) = self as? DecodingError else { return "\(self)" }
        let detail = (context.underlyingError as? CocoaError)?.userInfo["NSDebugDescription"] as? String
        return detail ?? context.debugDescription
    }
}
