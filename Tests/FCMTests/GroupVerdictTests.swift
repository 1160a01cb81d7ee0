import FCM
import Testing

/// Answers about device groups: docs/reference/fcm-older.md#device-groups.
struct GroupVerdictTests {
    enum Meaning: Equatable, Sendable {
        case done, alreadyExists, notFound, noValidRegistrations, nameMismatch, rejected, unauthenticated, stop
        case again(Verdict.Repeat.Effect)

        init(_ verdict: GroupVerdict) {
            switch verdict {
            case .done: self = .done
            case .alreadyExists: self = .alreadyExists
            case .notFound: self = .notFound
            case .noValidRegistrations: self = .noValidRegistrations
            case .nameMismatch: self = .nameMismatch
            case .rejected: self = .rejected
            case .again(_, let terms): self = .again(terms.effect)
            case .unauthenticated: self = .unauthenticated
            case .stop: self = .stop
            }
        }
    }

    private static var operations: [GroupOperation] {
        get throws {
            let name = try GroupName.sample("appUser-Chris")
            let key = try NotificationKey.sample("OldKey")
            return [
                .create(name, [try .token]), .add(name, key, [try .token]), .remove(name, key, [try .token]),
                .retrieve(name),
            ]
        }
    }

    private func judge(_ status: Int, _ body: String, _ operation: GroupOperation) -> GroupVerdict {
        GroupVerdict(.response(Response(status: status, body: Array(body.utf8))), for: operation)
    }

    @Test func `the key that comes back is the one to use`() throws {
        for operation in try Self.operations {
            let verdict = judge(200, #"{"notification_key":"APA91bGHXQBB"}"#, operation)
            #expect(verdict == .done(try .sample("APA91bGHXQBB")))
        }
    }

    @Test func `where none comes back the known one stays`() throws {
        let meanings = try Self.operations.map { Meaning(judge(200, "{}", $0)) }
        #expect(meanings == [.again(.idempotent), .done, .done, .again(.idempotent)])
        #expect(judge(200, "{}", try Self.operations[2]) == .done(try .sample("OldKey")))
    }

    @Test(arguments: ["", html, "[]", #"{"notification_key":7}"#, #"{"notification_key":"a\"b"}"#, #"{"notification"#])
    func `an answer that makes no sense is asked for again`(_ body: String) throws {
        for operation in try Self.operations {
            #expect(Meaning(judge(200, body, operation)) == .again(.idempotent))
        }
    }

    @Test(arguments: [
        ("notification_key already exists", Meaning.alreadyExists),
        ("Notification_Key Already Exists", .alreadyExists),
        ("notification_key not found", .notFound),
        ("no valid registration ids", .noValidRegistrations),
        ("notification_key_name doesn't match the group name of the notification_key", .nameMismatch),
        ("too many registration ids", .rejected),
        ("", .rejected),
    ])
    func `FCM's sentences tell what is wrong`(_ text: String, _ meaning: Meaning) throws {
        for operation in try Self.operations {
            #expect(Meaning(judge(400, #"{"error":"\#(text)"}"#, operation)) == meaning)
            #expect(Meaning(judge(200, #"{"error":"\#(text)"}"#, operation)) == meaning)
        }
    }

    @Test(arguments: [
        (400, "no valid registration ids", "UNREGISTERED"), (200, "no valid registration ids", "UNREGISTERED"),
        (400, "too many registration ids", "INVALID_ARGUMENT"), (200, "too many registration ids", "INVALID_ARGUMENT"),
        (400, "notification_key already exists", "INVALID_ARGUMENT"), (409, "some words", "HTTP_409"),
    ])
    func `a sentence is no code`(_ status: Int, _ text: String, _ code: String) throws {
        switch judge(status, #"{"error":"\#(text)"}"#, try Self.operations[0]) {
        case .alreadyExists(let failure), .noValidRegistrations(let failure), .rejected(let failure):
            #expect(failure.code == code)
            #expect(failure.message == text)
        default: Issue.record("another meaning")
        }
    }

    @Test(arguments: [
        (400, html, Meaning.rejected),
        (400, rpc("INVALID_ARGUMENT"), .rejected),
        (401, html, .unauthenticated),
        (401, rpc("UNAUTHENTICATED"), .unauthenticated),
        (403, rpc("PERMISSION_DENIED"), .stop),
        (404, html, .stop),
        (301, "", .stop),
        (408, "", .again(.idempotent)),
        (429, html, .again(.refused)),
        (500, #"{"error":"InternalServerError"}"#, .again(.idempotent)),
        (502, html, .again(.idempotent)),
        (503, html, .again(.deferred)),
        (501, html, .stop),
    ])
    func `other answers are judged by their status`(_ status: Int, _ body: String, _ meaning: Meaning) throws {
        for operation in try Self.operations {
            #expect(Meaning(judge(status, body, operation)) == meaning)
        }
    }

    @Test func `lost or never sent, it goes again`() throws {
        for operation in try Self.operations {
            #expect(Meaning(GroupVerdict(.lost(reason: "cut"), for: operation)) == .again(.idempotent))
            #expect(Meaning(GroupVerdict(.notSent(reason: "refused"), for: operation)) == .again(.none))
        }
    }

    @Test func `a key in FCM's words is not kept`() throws {
        let key = "APA91b" + String(repeating: "k", count: 120)
        guard case .rejected(let failure) = judge(400, #"{"error":"bad \#(key)"}"#, try Self.operations[1]) else {
            Issue.record("not rejected")
            return
        }
        #expect(failure.message == "bad (a registration)")
    }
}
