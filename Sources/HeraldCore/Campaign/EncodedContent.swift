internal import FCM

/// The JSON of a send's requests: what the recipients of a class share is encoded once.
struct EncodedContent: Sendable {
    private enum Bodies {
        case same(MessageBody)
        case personal([(members: RecipientSet, body: PersonalBody)])
    }

    /// What recipients get whose message is worth something for the same time.
    private struct Part {
        /// `nil` if there is one part, for everybody.
        var members: RecipientSet?
        var bodies: Bodies

        func bytes(for id: RecipientID, _ values: FieldValues?, to address: Address) -> [UInt8]? {
            switch bodies {
            case .same(let body): return body.bytes(to: address)
            case .personal(let classes):
                guard let values else { return nil }
                return classes.first { $0.members.contains(id) }?.body.bytes(to: address, values)
            }
        }
    }

    private let parts: [Part]
    /// Asked for every answer.
    let differsByRecipient: Bool

    /// - Parameters:
    ///   - classes: which recipients get which text of a personal campaign.
    ///   - expiry: When the messages expire. Lifetimes that their author did not set are filled in.
    ///   - closings: until when recipients may be sent it. Their messages expire no later.
    ///   - validateOnly: Whether FCM is to check the messages and to deliver none.
    init(
        _ content: MessageContent, for classes: Partition<MessageClass> = Partition(), expiring expiry: Date?,
        closings: Partition<Date> = Partition(), at now: Date, validateOnly: Bool
    ) throws {
        differsByRecipient = content.differsByRecipient
        let bodies = { (expiry: Date?) in try Self.bodies(content, for: classes, expiry, now, validateOnly) }
        let ends = closings.states.sorted()
        guard ends.count > 1 else {
            parts = [Part(bodies: try bodies([expiry, ends.first].compactMap(\.self).min()))]
            return
        }
        parts = try ends.map { end in
            Part(members: closings[end], bodies: try bodies(expiry.map { min($0, end) } ?? end))
        }
    }

    private static func bodies(
        _ content: MessageContent, for classes: Partition<MessageClass>, _ expiry: Date?, _ now: Date,
        _ validateOnly: Bool
    ) throws -> Bodies {
        let complete = { (message: [String: JSONValue]) in expiry.map { message.expiring($0, at: now) } ?? message }
        guard let messages = content.personal else {
            let message = complete(content.message(for: .everybody))
            return .same(try MessageBody(message: message, validateOnly: validateOnly))
        }
        return .personal(
            try classes.states.sorted().map { recipients in
                (classes[recipients], try messages.body(of: recipients, validateOnly: validateOnly, complete))
            })
    }

    /// The body of the request for one recipient; `nil` for somebody who is in no class of a personal campaign.
    ///
    /// - Parameter values: the recipient's row.
    func bytes(for id: RecipientID, _ values: FieldValues?, to address: Address) -> [UInt8]? {
        let part = parts.count == 1 ? parts[0] : parts.first { $0.members?.contains(id) ?? true }
        return part?.bytes(for: id, values, to: address)
    }
}

extension [String: JSONValue] {
    /// The message with the lifetimes that follow from `expires_after`, where its author set none.
    fileprivate func expiring(_ expiry: Date, at now: Date) -> Self {
        // Rounded up: FCM drops a message with a lifetime of zero unless the device is there at once.
        let left = Duration.seconds(
            Swift.max(0, Int64((expiry.timeIntervalSince1970 - now.timeIntervalSince1970).rounded(.up))))
        var message = JSONValue.object(self)
        message.fill([AndroidPart(of: self).rawValue, "ttl"], with: .string(left.protobufText))
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
