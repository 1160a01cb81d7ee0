import FCM

/// Takes the members of one JSON object, checks their types and ranges, and refuses unknown ones.
struct FaultReader {
    let place: String
    private var members: [String: JSONValue]

    init(_ value: JSONValue, place: String) throws(FaultScriptError) {
        guard let members = value.object else { throw FaultScriptError(place, "not an object") }
        self.place = place
        self.members = members
    }

    func has(_ key: String) -> Bool { members[key] != nil }

    mutating func take(_ key: String) -> JSONValue? { members.removeValue(forKey: key) }

    mutating func number(_ key: String, in range: ClosedRange<Int>) throws(FaultScriptError) -> Int? {
        guard let value = take(key) else { return nil }
        guard let number = value.int, let number = Int(exactly: number), range.contains(number) else {
            let upTo = range.upperBound == .max ? "on" : "to \(range.upperBound)"
            throw error(at: key, "not a whole number from \(range.lowerBound) \(upTo)")
        }
        return number
    }

    /// A number from 0 to 1.
    mutating func share(_ key: String) throws(FaultScriptError) -> Double? {
        guard let value = take(key) else { return nil }
        let number: Double? =
            switch value {
            case .int(let number): Double(number)
            case .double(let number): number
            default: nil
            }
        guard let number, (0...1).contains(number) else { throw error(at: key, "not a number from 0 to 1") }
        return number
    }

    mutating func flag(_ key: String) throws(FaultScriptError) -> Bool? {
        guard let value = take(key) else { return nil }
        guard case .bool(let flag) = value else { throw error(at: key, "not true or false") }
        return flag
    }

    /// - Parameter isGood: an extra condition. The text is always one line of 1 to 4096 printable ASCII characters.
    mutating func text(
        _ key: String, _ expectation: String = "a line of printable ASCII",
        where isGood: (String) -> Bool = { _ in true }
    ) throws(FaultScriptError) -> String? {
        guard let value = take(key) else { return nil }
        guard let text = value.string, (1...4096).contains(text.utf8.count), isGood(text),
            text.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { throw error(at: key, "not \(expectation)") }
        return text
    }

    mutating func choice<Choice>(_ key: String, of type: Choice.Type = Choice.self) throws(FaultScriptError) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let value = take(key) else { return nil }
        guard let choice = value.string.flatMap(Choice.init(rawValue:)) else {
            throw error(at: key, "not one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// Refuses a key that was not read.
    func finish() throws(FaultScriptError) {
        guard let stranger = members.keys.sorted().first else { return }
        throw FaultScriptError(place, "unknown key '\(stranger)'")
    }

    func error(at key: String, _ message: String) -> FaultScriptError { FaultScriptError("\(place).\(key)", message) }
}
