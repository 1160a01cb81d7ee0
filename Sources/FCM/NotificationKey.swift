/// The key that addresses a device group. FCM gives a different one at each retrieval, and all of them stay valid.
/// Printing the key does not show it.
package struct NotificationKey: RawRepresentable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package let rawValue: String

    /// 1–4096 visible ASCII characters without quotes and backslashes, so that JSON never has to escape one.
    package init?(rawValue: String) {
        guard (1...4096).contains(rawValue.utf8.count), rawValue.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.rawValue = rawValue
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): false
        default: (0x21...0x7e).contains(byte)
        }
    }

    package var description: String { "notification key (\(rawValue.utf8.count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
