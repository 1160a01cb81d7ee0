import FCM
import Testing

@testable import FCMEmulator

@Suite struct GroupTests {
    private let emulator = ManualEmulator()

    private func post(_ body: String, project: String = "123456789012") -> Reply {
        emulator.call(
            "POST", "/fcm/notification", body,
            headers: [
                "Content-Type": "application/json", "Authorization": "Bearer any", "Access_Token_Auth": "true",
                "PROJECT_ID": project,
            ])
    }

    private func change(
        _ operation: String, _ name: String?, key: String? = nil, _ ids: [String], project: String = "123456789012"
    ) -> Reply {
        let name = name.map { #""notification_key_name":"\#($0)","# } ?? ""
        let key = key.map { #""notification_key":"\#($0)","# } ?? ""
        let ids = ids.map { "\"\($0)\"" }.joined(separator: ",")
        return post(
            #"{"operation":"\#(operation)",\#(name)\#(key)"registration_ids":[\#(ids)]}"#, project: project)
    }

    private func retrieve(_ name: String, project: String = "123456789012") -> Reply {
        emulator.call(
            "GET", "/fcm/notification?notification_key_name=\(name)",
            headers: ["access_token_auth": "true", "project_id": project])
    }

    private func key(_ reply: Reply) throws -> String {
        #expect(reply.status == 200)
        let members = try #require(try reply.json().object)
        #expect(members.count == 1)
        return try #require(members["notification_key"]?.string)
    }

    private func members(_ name: String) throws -> [String] {
        let reply = emulator.call("GET", "/emulator/v1/groups/\(name)")
        guard reply.status == 200 else { return [] }
        return try #require(try reply.json().array).compactMap(\.string)
    }

    private func send(to key: String) -> Reply {
        emulator.send(#"{"message":{"token":"\#(key)","data":{"k":"v"}}}"#)
    }

    @Test func `every answer tells another key, and all are good`() throws {
        var keys = [try key(change("create", "appUser-Chris", [token(1)]))]
        keys.append(try key(change("add", "appUser-Chris", key: keys[0], [token(2)])))
        keys.append(try key(change("remove", "appUser-Chris", key: keys[1], [token(1)])))
        keys.append(try key(retrieve("appUser-Chris")))
        keys.append(try key(retrieve("appUser-Chris")))
        #expect(Set(keys).count == 5)
        for key in keys {
            #expect(key.hasPrefix("APA91b"))
            #expect(key.utf8.count >= 100)
            #expect(key.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
            #expect(send(to: key).status == 200)
        }
        #expect(try emulator.inbox(fid(2)).count == 5)
        #expect(try emulator.inbox(fid(1)).isEmpty)
    }

    @Test func `members come and go`() throws {
        let first = try key(change("create", "g", [token(3), token(1)]))
        #expect(try members("g") == [token(1), token(3)])
        let second = try key(change("add", "g", key: first, [token(2), token(1)]))
        #expect(try members("g") == [token(1), token(2), token(3)])
        // FCM checks the name against the key, but it may be left out.
        _ = try key(change("remove", nil, key: second, [token(1), token(9)]))
        #expect(try members("g") == [token(2), token(3)])
        #expect(emulator.call("GET", "/emulator/v1/groups/other").status == 404)
    }

    @Test func `the members of a key can be read`() throws {
        func export(_ query: String) -> Reply {
            emulator.call(
                "GET", "/fcm/notification?\(query)",
                headers: ["access_token_auth": "true", "project_id": "123456789012"])
        }
        let first = try key(change("create", "g", [token(3), token(1)]))
        let second = try key(retrieve("g"))
        for key in [first, second] {
            #expect(
                try export("notification_key=\(key)").json()
                    == ["registration_ids": [.string(token(1)), .string(token(3))]])
        }
        #expect(try error(export("notification_key=absent")) == "notification_key not found")
        #expect(
            try error(export("notification_key=\(first)&notification_key_name=h"))
                == "notification_key_name doesn't match the group name of the notification_key")
    }

    @Test func `the last member takes the group with it`() throws {
        let old = try key(change("create", "g", [token(1), token(2)]))
        let last = try key(change("remove", "g", key: old, [token(1), token(2)]))
        #expect(emulator.call("GET", "/emulator/v1/groups/g").status == 404)
        #expect(try error(retrieve("g")) == "notification_key not found")
        for key in [old, last] {
            let reply = send(to: key)
            #expect(reply.status == 404)
            #expect(try reply.json()["error"]?["details"]?.array?.first?["errorCode"] == "UNREGISTERED")
        }
        let new = try key(change("create", "g", [token(3)]))
        #expect(send(to: new).status == 200)
        #expect(send(to: old).status == 404)
        #expect(try error(change("add", "g", key: old, [token(4)])) == "notification_key not found")
    }

    private func error(_ reply: Reply, status: Int = 400) throws -> String? {
        #expect(reply.status == status)
        #expect(try reply.json().object?.count == 1)
        return try reply.json()["error"]?.string
    }

    @Test func `the four errors have FCM's texts`() throws {
        let here = try key(change("create", "here", [token(1)]))
        #expect(try error(change("create", "here", [token(2)])) == "notification_key already exists")
        #expect(try error(retrieve("absent")) == "notification_key not found")
        for operation in ["add", "remove"] {
            #expect(try error(change(operation, "here", key: "absent", [token(1)])) == "notification_key not found")
            #expect(
                try error(change(operation, "absent", key: here, [token(1)]))
                    == "notification_key_name doesn't match the group name of the notification_key")
            #expect(try error(change(operation, "here", key: here, [])) == "no valid registration ids")
        }
        #expect(try error(change("create", "new", [])) == "no valid registration ids")
        #expect(try members("here") == [token(1)])
    }

    @Test(arguments: ["unregistered", "other_sender"])
    func `registrations that FCM does not know are no members`(_ state: String) throws {
        try emulator.enrol(token(1), state: state)
        let strangers = [token(1), "malformed"]
        #expect(try error(change("create", "g", strangers)) == "no valid registration ids")
        let key = try key(change("create", "g", strangers + [token(2)]))
        #expect(try members("g") == [token(2)])
        for operation in ["add", "remove"] {
            #expect(try error(change(operation, "g", key: key, strangers)) == "no valid registration ids")
        }
        #expect(try error(change("add", "g", key: key, [key])) == "no valid registration ids")
    }

    @Test func `a member that is unregistered drops out, and the last one takes the group with it`() throws {
        let group = try key(change("create", "g", [token(1), token(2)]))
        try emulator.enrol(token(1), state: "unregistered")
        #expect(try members("g") == [token(2)])
        try emulator.enrol(token(1), state: "active")
        #expect(try members("g") == [token(2)])
        try emulator.enrol(token(2), state: "unregistered")
        #expect(try error(retrieve("g")) == "notification_key not found")
        #expect(send(to: group).status == 404)
    }

    @Test func `a group has at most twenty members`() throws {
        let group = try key(change("create", "g", (1...20).map { token($0) }))
        #expect(change("add", "g", key: group, [token(21)]).status == 400)
        #expect(try members("g").count == 20)
        #expect(change("add", "g", key: group, [token(20)]).status == 200)
        #expect(change("create", "h", (1...21).map { token($0) }).status == 400)
        #expect(emulator.call("GET", "/emulator/v1/groups/h").status == 404)
    }

    @Test func `a send reaches the members' installations, each once`() throws {
        try emulator.enrol(token(3), platform: "ios", state: "apns_dead")
        let members = [token(1), token(1, rotation: "B"), fid(2), token(3)]
        let key = try key(change("create", "g", members))
        let reply = send(to: key)
        #expect(try reply.json().object?.keys.sorted() == ["name"])
        #expect(try reply.json()["name"]?.string?.hasPrefix("projects/p/messages/") == true)
        #expect(try (1...3).map { try emulator.inbox(fid($0)).count } == [1, 1, 0])
        let line = try #require(try emulator.ledger().first)
        #expect(line["target"] == ["token": .string(key)])
        #expect(line["fan_out"] == 2)
        #expect(
            try emulator.send(#"{"message":{"token":"\#(key)"},"validate_only":true}"#).messageID()
                == "fake_message_id")
        #expect(try emulator.ledger().count == 1)
    }

    @Test func `a key is no registration`() throws {
        let key = try key(change("create", "g", [token(1)]))
        #expect(emulator.subscribe(key, to: "t").status == 404)
        #expect(try emulator.call("GET", "/emulator/v1/topics/t").json() == [])
    }

    @Test func `each project has groups of its own`() throws {
        let one = try key(change("create", "g", [token(1)], project: "1"))
        let other = try key(change("create", "g", [token(2)], project: "2"))
        #expect(try error(retrieve("g", project: "3")) == "notification_key not found")
        #expect(
            try error(change("add", "g", key: other, [token(3)], project: "1")) == "notification_key not found")
        _ = send(to: one)
        #expect(try emulator.inbox(fid(1)).count == 1)
        #expect(try emulator.inbox(fid(2)).isEmpty)
    }

    @Test func `headers are asked for`() throws {
        let target = "/fcm/notification?notification_key_name=g"
        _ = try key(change("create", "g", [token(1)]))
        for headers: KeyValuePairs<String, String> in [
            ["project_id": "123456789012"], ["project_id": "123456789012", "access_token_auth": "false"],
        ] {
            #expect(try error(emulator.call("GET", target, headers: headers), status: 401) == "Unauthorized")
        }
        for headers: KeyValuePairs<String, String> in [
            ["access_token_auth": "true"], ["access_token_auth": "true", "project_id": ""],
            ["access_token_auth": "true", "project_id": "tide-app-prod"],
        ] {
            #expect(emulator.call("GET", target, headers: headers).status == 400)
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"operation":"list","notification_key_name":"g"}"#,
        #"{"operation":"create","registration_ids":["\#(token(1))"]}"#,
        #"{"operation":"create","notification_key_name":"","registration_ids":["\#(token(1))"]}"#,
        #"{"operation":"create","notification_key_name":"g","registration_ids":[1]}"#,
        #"{"operation":"create","notification_key_name":"g","registration_ids":"\#(token(1))"}"#,
        #"{"operation":"create","notification_key_name":7,"registration_ids":["\#(token(1))"]}"#,
    ])
    func `a malformed body is refused with a text`(_ body: String) throws {
        #expect(try error(post(body))?.isEmpty == false)
        #expect(emulator.call("GET", "/emulator/v1/groups/g").status == 404)
    }

    @Test func `calls are logged, and a reset forgets groups`() throws {
        let old = try key(change("create", "g", [token(1)]))
        #expect(try emulator.requests().map { $0["path"] } == ["/fcm/notification"])
        _ = emulator.call("POST", "/emulator/v1/reset")
        #expect(try error(retrieve("g")) == "notification_key not found")
        #expect(try key(change("create", "g", [token(1)])) != old)
    }
}
