package import FCM

/// What a send says. Recipients of one class get the same message, and so far there is one class: everybody gets the
/// same. Whatever encodes, previews, measures or judges a message asks here, so that more classes change this file only.
package struct MessageContent: Hashable, Sendable {
    /// Recipients who get the same message.
    package struct RecipientClass: Hashable, Sendable {
        /// Its place among `MessageContent.classes`.
        let index: Int

        static let everybody = RecipientClass(index: 0)
    }

    private let message: [String: JSONValue]

    /// - Parameter message: The v1 message without its target, for everybody.
    package init(_ message: [String: JSONValue]) { self.message = message }

    package var classes: [RecipientClass] { [.everybody] }

    /// Asked for each recipient on the send path.
    func recipientClass(of id: RecipientID) -> RecipientClass { .everybody }

    /// The v1 message without its target.
    func message(for recipients: RecipientClass) -> [String: JSONValue] { message }

    /// Whether what is wrong with one recipient's message may be right with another's.
    package var differsByRecipient: Bool { classes.count > 1 }

    /// All of it, for digests: equal where every recipient gets the same, and as it was before there were classes.
    var json: JSONValue { .object(message) }

    /// The bytes that count against FCM's limit, of the largest message that a device of the platform gets.
    package func largestSize(on platform: Platform) -> Int {
        classes.map { DevicePayload.size(of: message(for: $0), on: platform) }.max() ?? 0
    }

    /// One recipient of each class, where it has any: who is shown in a preview.
    func samples(of members: RecipientSet) -> [(recipients: RecipientClass, sample: RecipientID?)] {
        classes.map { recipients in (recipients, members.first { recipientClass(of: $0) == recipients }) }
    }
}
