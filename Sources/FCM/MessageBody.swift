/// A send request's JSON body with a hole for the address: what all recipients share is encoded once.
package struct MessageBody: Hashable, Sendable {
    private let head: [UInt8]
    private let tail: [UInt8]

    /// - Parameter message: the v1 message without its target field.
    package init(message: [String: JSONValue], validateOnly: Bool = false) throws {
        var head = Array(#"{"message":"#.utf8)
        let shared = try JSONValue.object(message).bytes()
        head += shared.dropLast()
        if !message.isEmpty { head.append(UInt8(ascii: ",")) }
        self.head = head
        tail = Array((validateOnly ? #""},"validate_only":true}"# : #""}}"#).utf8)
    }

    /// The whole body. No address holds a character that JSON would escape.
    package func bytes(to address: Address) -> [UInt8] {
        var bytes: [UInt8] = []
        let value = address.value.utf8
        bytes.reserveCapacity(head.count + tail.count + value.count + 12)
        bytes += head
        bytes.append(UInt8(ascii: "\""))
        bytes += address.field.utf8
        bytes += #"":""#.utf8
        bytes += value
        bytes += tail
        return bytes
    }
}
