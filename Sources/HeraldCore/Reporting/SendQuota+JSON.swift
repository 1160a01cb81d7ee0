internal import FCM

extension RecordedState.SendQuota {
    var json: JSONValue { json(at: at.rfc3339) }

    /// - Parameter time: when FCM told it, in the document's form.
    func json(at time: String) -> JSONValue { ["per_minute": .int(Int64(perMinute)), "at": .string(time)] }
}
