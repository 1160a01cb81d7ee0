import FCM

extension JSONValue {
    /// The members of a call's body. Other keys than these are refused.
    static func controlObject(_ body: [UInt8], keys: Set<String>) throws(GoogleError) -> [String: JSONValue] {
        guard let members = (try? JSONValue(parsing: body))?.object else { throw .badCall("this is no JSON object") }
        if let stranger = members.keys.sorted().first(where: { !keys.contains($0) }) {
            throw .badCall("unknown key '\(stranger)'")
        }
        return members
    }
}
