internal import FCM

extension UnrecordedOutcomes {
    /// As a report has them: the numbers in ranges, each with its first and last.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "accepted": accepted.ranges, "deferred": deferred.ranges, "untried": untried.ranges,
            "rejected": .object(rejected.mapValues(\.ranges)),
        ]
        if !repeated.isEmpty { members["repeated"] = repeated.ranges }
        return .object(members)
    }

    /// `nil` if it has another form.
    init?(json: JSONValue) {
        guard let accepted = json["accepted"].flatMap(RecipientSet.init(ranges:)),
            let deferred = json["deferred"].flatMap(RecipientSet.init(ranges:)),
            let untried = json["untried"].flatMap(RecipientSet.init(ranges:)), let rejected = json["rejected"]?.object,
            let repeated = RecipientSet(ranges: json["repeated"] ?? .array([]))
        else { return nil }
        self.init()
        (self.accepted, self.deferred, self.untried) = (accepted, deferred, untried)
        self.repeated = repeated
        for (code, ranges) in rejected {
            guard let members = RecipientSet(ranges: ranges),
                code.wholeMatch(of: #/[A-Za-z0-9_.\-]{1,100}/#) != nil
            else { return nil }
            self.rejected[code] = members
        }
    }
}

extension RecipientSet {
    /// More than can be in flight.
    private static let mostUnrecorded: RecipientID = 1_000_000

    fileprivate var ranges: JSONValue {
        .array(runs.map { [.int(Int64($0.lowerBound)), .int(Int64($0.upperBound))] })
    }

    fileprivate init?(ranges: JSONValue) {
        guard let pairs = ranges.array else { return nil }
        var (members, rest) = (RecipientSet(), Self.mostUnrecorded)
        for pair in pairs {
            guard let bounds = pair.array, bounds.count == 2, let first = bounds[0].int, let last = bounds[1].int,
                let low = RecipientID(exactly: first), let high = RecipientID(exactly: last), low <= high,
                high < KnownRecipient.firstFormer, high - low < rest
            else { return nil }
            rest -= high - low
            members.formUnion(RecipientSet(low..<(high + 1)))
        }
        self = members
    }
}
