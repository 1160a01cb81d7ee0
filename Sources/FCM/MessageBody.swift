/// The JSON body of a send request with a gap for the address. What all recipients share is encoded only once.
package struct MessageBody: Hashable, Sendable {
    /// All but the address.
    private var shared = MessageFrame.opening
    private let addressPlace: Int

    /// - Parameter message: the v1 message without its target field.
    package init(message: [String: JSONValue], validateOnly: Bool = false) throws {
        shared += try JSONValue.object(message).bytes()
        addressPlace = MessageFrame.close(&shared, validateOnly: validateOnly)
    }

    /// The complete body.
    package func bytes(to address: Address) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(shared.count + MessageFrame.size(of: address))
        bytes += shared[..<addressPlace]
        MessageFrame.write(address, to: &bytes)
        bytes += shared[addressPlace...]
        return bytes
    }
}
