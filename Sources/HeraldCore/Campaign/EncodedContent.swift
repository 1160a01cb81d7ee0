internal import FCM

/// The JSON of a send's requests: what the recipients of a class share is encoded once.
struct EncodedContent: Sendable {
    private let content: MessageContent
    /// By class.
    private let bodies: [MessageBody]
    /// Asked for every answer.
    let differsByRecipient: Bool

    /// - Parameters:
    ///   - expiry: When the messages are worth nothing any more. What of that their author left unset is filled in.
    ///   - validateOnly: Whether FCM is to check the messages and to deliver none.
    init(_ content: MessageContent, expiring expiry: Date?, at now: Date, validateOnly: Bool) throws {
        self.content = content
        differsByRecipient = content.differsByRecipient
        bodies = try content.classes.map { recipients in
            let message = content.message(for: recipients)
            return try MessageBody(
                message: expiry.map { message.expiring($0, at: now) } ?? message, validateOnly: validateOnly)
        }
    }

    /// The body of the request for one recipient.
    func bytes(for id: RecipientID, to address: Address) -> [UInt8] {
        bodies[content.recipientClass(of: id).index].bytes(to: address)
    }
}

extension [String: JSONValue] {
    /// The message with what `expires_after` fills where its author left it unset.
    fileprivate func expiring(_ expiry: Date, at now: Date) -> Self {
        // Rounded up: FCM drops a message with a lifetime of zero unless the device is there at once.
        let left = Duration.seconds(
            Swift.max(0, Int64((expiry.timeIntervalSince1970 - now.timeIntervalSince1970).rounded(.up))))
        var message = JSONValue.object(self)
        message.fill(["android", "ttl"], with: .string(left.protobufText))
        message.fill(
            ["apns", "headers", "apns-expiration"], with: .string(String(Int64(expiry.timeIntervalSince1970))))
        message.fill(["webpush", "headers", "TTL"], with: .string(String(left.components.seconds)))
        return message.object ?? self
    }
}

extension JSONValue {
    /// Puts a value at a path of object keys, unless there is one. Keys are compared as those of headers are, without
    /// regard to case.
    fileprivate mutating func fill(_ path: ArraySlice<String>, with value: JSONValue) {
        guard let key = path.first else { return }
        var members = object ?? [:]
        if path.count == 1 {
            let isSet = members.keys.contains { $0.lowercased() == key.lowercased() }
            if !isSet { members[key] = value }
        } else {
            var inner = members[key] ?? .object([:])
            inner.fill(path.dropFirst(), with: value)
            members[key] = inner
        }
        self = .object(members)
    }
}
