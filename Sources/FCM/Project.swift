/// The Firebase project that calls are made for.
package struct Project: Hashable, Sendable {
    /// The project's id or its number. FCM accepts both.
    package var id: String
    /// The project's number. Calls about device groups need it.
    package var senderID: SenderID?

    package init(id: String, senderID: SenderID? = nil) {
        self.id = id
        self.senderID = senderID
    }
}

/// A project's number: 1–20 digits.
package struct SenderID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init?(rawValue: String) {
        guard (1...20).contains(rawValue.utf8.count),
            rawValue.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        self.rawValue = rawValue
    }

    package var description: String { rawValue }
}
