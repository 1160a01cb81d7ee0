internal import FCM

extension String {
    /// The path of a key below this one. Different keys give different paths: a key that could be taken for several, or
    /// for a quoted one, stands in quotes, as `data."link.url"`.
    func path(to key: String) -> String {
        let isPlain = !key.isEmpty && !key.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\"") }
        let part = isPlain ? key : JSONValue.string(key).compactText
        return isEmpty ? part : "\(self).\(part)"
    }
}
