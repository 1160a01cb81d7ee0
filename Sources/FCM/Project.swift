/// The Firebase project that calls are made for.
package struct Project: Hashable, Sendable {
    /// Its id, or its number.
    package var id: String
    /// Its number, which device groups ask for.
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
