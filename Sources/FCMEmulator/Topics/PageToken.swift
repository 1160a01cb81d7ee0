import FCM

/// Where the next page of a list begins. Clients cannot read or make it.
struct PageToken {
    /// The last topic of the previous page.
    let last: TopicName

    /// Marks a text as a page token.
    private static let mark = "after:"

    init(last: TopicName) { self.last = last }

    init(_ text: String) throws(GoogleError) {
        guard let bytes = [UInt8](base64URL: text), let decoded = String(validating: bytes, as: UTF8.self),
            decoded.hasPrefix(Self.mark), let last = TopicName(rawValue: String(decoded.dropFirst(Self.mark.count)))
        else { throw .invalidMessage("The page token is invalid.", at: "page_token") }
        self.last = last
    }

    var text: String { Array((Self.mark + last.rawValue).utf8).base64URL }
}
