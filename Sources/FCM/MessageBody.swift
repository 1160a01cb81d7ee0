/// The JSON body of a send request with a gap for the address. What all recipients share is encoded only once.
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

    /// The complete body. JSON never has to escape a character of an address.
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
