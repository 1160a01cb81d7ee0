internal import FCM

extension LeftOut {
    /// `members: seen within 180d: 1,042 recipients`.
    package var words: String {
        let number = count(recipients, "recipient")
        let people = isOfOtherType ? "\(number) with a value of another type" : number
        return "\(audience): \(filter): \(people)".printable
    }

    var json: JSONValue {
        [
            "audience": .string(audience), "filter": .string(filter),
            "reason": isOfOtherType ? "type" : "time", "recipients": .int(Int64(recipients)),
        ]
    }
}
