/// The JSON around the message of a send request. The address is the message's last member, so that all else can be
/// encoded once for many recipients.
package enum MessageFrame {
    package static let opening = Array(#"{"message":"#.utf8)

    /// Completes an opening and the message's JSON.
    ///
    /// - Returns: The place where the address belongs.
    package static func close(_ bytes: inout [UInt8], validateOnly: Bool) -> Int {
        bytes.removeLast()
        let isEmpty = bytes.count == opening.count + 1
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        let place = bytes.count
        bytes += (validateOnly ? #"},"validate_only":true}"# : "}}").utf8
        return place
    }

    /// JSON never has to escape a character of an address.
    package static func write(_ address: Address, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes += address.field.utf8
        bytes += #"":""#.utf8
        bytes += address.value.utf8
        bytes.append(UInt8(ascii: "\""))
    }

    /// How many bytes the address takes.
    package static func size(of address: Address) -> Int { address.field.utf8.count + address.value.utf8.count + 5 }
}
