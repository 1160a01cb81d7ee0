package import FCM

/// The largest message that the rows of a personal campaign make. It holds no value of a row.
package struct LongestMessage: Hashable, Sendable {
    /// Whose row it is.
    package var id: RecipientID
    /// Whose text it is. A row is checked for all variants, so it counts in the one that makes its message largest.
    package var recipients: MessageClass
    /// The number of the row's line in its list. 0 for a registration that stands in a file of the workspace.
    package var line: Int
    /// The bytes that count against FCM's limit.
    package var size: Int
    /// With marks in place of the values.
    package var message: [String: JSONValue]

    /// - Parameters:
    ///   - row: the row that makes it.
    ///   - recipients: its class.
    /// - Returns: `nil` if nobody is sent anything.
    init?(_ row: JudgedRows.Longest, in recipients: MessageClass, _ messages: PersonalMessages) {
        let sent = messages.classes.filter { $0.locale == recipients.locale && !$0.isHoldout }
        let sizes = sent.map { Self.size(of: messages.rendered(row.values, for: $0)) }
        guard let (largest, size) = zip(sent, sizes).max(by: { $0.1 < $1.1 }) else { return nil }
        (id, line) = (row.id, row.line)
        (self.recipients, self.size) = (largest, size)
        message = messages.redacted(row.values, for: largest)
    }

    private static func size(of message: [String: JSONValue]) -> Int {
        Platform.allCases.map { DevicePayload.size(of: message, on: $0) }.max() ?? 0
    }
}
