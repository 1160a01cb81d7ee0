import FCM
import Testing

/// Whose fault a message is that FCM refuses: everybody's where all get the same, one recipient's where they do not.
struct DifferingContentTests {
    private static func body(_ message: String, fields: [String] = [], isFCM: Bool = true) -> String {
        let violations = fields.map { #"{"field":"\#($0)","description":"d"}"# }.joined(separator: ",")
        let details =
            (isFCM
                ? [#"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}"#]
                : [])
            + (fields.isEmpty
                ? [] : [#"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[\#(violations)]}"#])
        return
            #"{"error":{"code":400,"message":"\#(message)","status":"INVALID_ARGUMENT","details":[\#(details.joined(separator: ","))]}}"#
    }

    private func verdict(_ body: String, to address: Address, differs: Bool) -> Verdict {
        Verdict(
            send: .response(Response(status: 400, body: Array(body.utf8))), to: address, differsByRecipient: differs)
    }

    private func isStop(_ verdict: Verdict) -> Bool { if case .stop = verdict { true } else { false } }
    private func isRejected(_ verdict: Verdict) -> Bool { if case .rejected = verdict { true } else { false } }

    private func isDead(_ verdict: Verdict) -> Bool { if case .dead = verdict { true } else { false } }

    static let faultsOfMessages = [
        body("Message is too large. The maximum is 4K (4096 bytes)."), body("Android message is too big"),
        body("Invalid value", fields: ["message.data[0].value"]),
        body("Invalid value", fields: ["message.token", "message.android.ttl"]),
    ]

    @Test(arguments: faultsOfMessages)
    func `a fault of the message is everybody's only where everybody gets it`(_ body: String) throws {
        let address = Address.registration(try .fid)
        #expect(isStop(verdict(body, to: address, differs: false)))
        #expect(isRejected(verdict(body, to: address, differs: true)))
    }

    @Test(arguments: faultsOfMessages)
    func `one request to many has one message`(_ body: String) throws {
        for address in [Address.topic(try .sample("t")), .group(try .sample("APA91bKey"))] {
            #expect(isStop(verdict(body, to: address, differs: true)))
        }
    }

    @Test func `what is no fault of the message means the same either way`() throws {
        let address = Address.registration(try .token)
        let dead = Self.body("Invalid value", fields: ["message.token"])
        let foreign = Self.body("Bad request", isFCM: false)
        for differs in [false, true] {
            #expect(isDead(verdict(dead, to: address, differs: differs)))
            #expect(isStop(verdict(foreign, to: address, differs: differs)))
        }
    }
}
