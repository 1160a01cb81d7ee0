import FCM
import Testing

@testable import FCMEmulator

@Suite struct SendTests {
    @Test(arguments: [
        #""token":"\#(token(1))""#, #""token":"\#(fid(1))""#, #""fid":"\#(fid(1))""#, #""topic":"100%25.~_-Z""#,
    ])
    func `an accepted message gets a name in its project`(_ target: String) throws {
        let reply = ManualEmulator().call(
            "POST", "/v1/projects/tide-app-prod/messages:send",
            #"{"message":{\#(target),"notification":{"title":"T"}}}"#)
        #expect(reply.status == 200)
        let name = try #require(try reply.json()["name"]?.string)
        #expect(name.hasPrefix("projects/tide-app-prod/messages/"))
        #expect(try reply.messageID().isEmpty == false)
    }

    @Test func `message ids are unique even across a reset`() throws {
        let emulator = ManualEmulator()
        var ids: Set<String> = []
        for round in 0..<3 {
            for number in 0..<100 {
                let target = number.isMultiple(of: 2) ? #""topic":"t""# : #""fid":"\#(fid(number))""#
                ids.insert(try emulator.send(#"{"message":{\#(target)}}"#).messageID())
            }
            if round == 1 { _ = emulator.call("POST", "/emulator/v1/reset") }
        }
        #expect(ids.count == 300)
    }

    @Test func `both spellings of a field are one field, written in snake_case`() throws {
        let emulator = ManualEmulator()
        let body = """
            {"message":{"topic":"t","fcmOptions":{"analyticsLabel":"a"},"android":{"collapseKey":"k","priority":"high",
             "notification":{"channelId":"c","bodyLocKey":"k","bodyLocArgs":["1"]}},"apns":{"payload":{"aps":{},"customKey":{"someKey":null}}}},
             "validateOnly":false}
            """
        #expect(emulator.send(body).status == 200)
        let expected = """
            {"fcm_options":{"analytics_label":"a"},"android":{"collapse_key":"k","priority":"high",
             "notification":{"channel_id":"c","body_loc_key":"k","body_loc_args":["1"]}},"apns":{"payload":{"aps":{},"customKey":{"someKey":null}}}}
            """
        #expect(try emulator.ledger().first?["message"] == JSONValue(parsing: expected.utf8))
    }

    @Test func `every documented field is known`() throws {
        let body = """
            {"message":{"fid":"\(fid(1))","name":"n","data":{"k":"v"},"notification":{"title":"t","body":"b","image":"i"},
             "android":{"collapse_key":"k","priority":"NORMAL","ttl":"0.9s","restricted_package_name":"p","data":{"k":"v"},
              "notification":{"title":"t","body":"b","icon":"i","color":"#a0b1c2","sound":"default","tag":"t",
               "click_action":"c","body_loc_key":"k","body_loc_args":["a"],"title_loc_key":"k","title_loc_args":["a"],
               "channel_id":"c","ticker":"t","sticky":true,"event_time":"2026-12-01T08:00:00.5Z","local_only":false,
               "notification_priority":"PRIORITY_HIGH","default_sound":true,"default_vibrate_timings":true,
               "default_light_settings":true,"vibrate_timings":["0s","0.25s"],"visibility":"PUBLIC",
               "notification_count":3,"light_settings":{"color":{"red":1,"green":0.5,"blue":0,"alpha":1},
                "light_on_duration":"0.2s","light_off_duration":"0.3s"},"image":"i","proxy":"DENY"},
              "fcm_options":{"analytics_label":"l"},"direct_boot_ok":true,"bandwidth_constrained_ok":true,
              "restricted_satellite_ok":true},
             "apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{"badge":0}},"live_activity_token":"x",
              "fcm_options":{"analytics_label":"l","image":"i"}},
             "webpush":{"headers":{"TTL":"60"},"data":{"k":"v"},"notification":{"requireInteraction":true},
              "fcm_options":{"link":"https://example.com","analytics_label":"l"}},
             "fcm_options":{"analytics_label":"l"}}}
            """
        #expect(ManualEmulator().send(body).status == 200)
    }

    @Test func `null means unset`() {
        #expect(ManualEmulator().send(#"{"message":{"topic":"t","token":null,"notification":null}}"#).status == 200)
    }

    @Test(arguments: [#""topic":"t""#, #""fid":"\#(fid(1))""#])
    func `validate_only delivers nothing`(_ target: String) throws {
        let emulator = ManualEmulator()
        #expect(emulator.subscribe(fid(1), to: "t").status == 200)
        let reply = emulator.send(#"{"validate_only":true,"message":{\#(target)}}"#)
        #expect(try reply.json() == ["name": "projects/p/messages/fake_message_id"])
        #expect(try emulator.ledger().isEmpty)
        #expect(try emulator.inbox(fid(1)).isEmpty)
    }

    @Test func `a strict emulator knows only who was enrolled`() throws {
        let emulator = ManualEmulator(strict: true)
        try emulator.enrol(token(1))
        #expect(emulator.send(#"{"message":{"token":"\#(token(1))"}}"#).status == 200)
        #expect(emulator.send(#"{"message":{"token":"\#(token(2))"}}"#).status == 404)
        #expect(emulator.send(#"{"message":{"token":"\#(fid(1))"}}"#).status == 404)
        #expect(emulator.subscribe(token(2), to: "t").status == 404)
        #expect(emulator.send(#"{"message":{"topic":"t"}}"#).status == 200)
    }

    @Test func `a new registration is remembered as an active Android one`() throws {
        let emulator = ManualEmulator()
        #expect(emulator.send(#"{"message":{"fid":"\#(fid(1))"}}"#).status == 200)
        let expected: JSONValue = [
            ["registration": .string(fid(1)), "kind": "fid", "platform": "android", "state": "active", "topics": []]
        ]
        #expect(try emulator.call("GET", "/emulator/v1/registrations").json() == expected)
    }

    @Test(arguments: [
        ("GET", "/v1/projects/p/messages:send"), ("POST", "/v1/projects/p/messages"), ("POST", "/"),
        ("POST", "/v1/projects//messages:send"), ("POST", "/v1/projects/p/messages:send/"),
        ("POST", "/v1/projects/p%zz/messages:send"), ("POST", "*"), ("POST", "/<script>"),
        ("PUT", "/v1/projects/p/registrations/r/topicSubscriptions/t"),
    ])
    func `a wrong path or method gets Google's page`(_ method: String, _ target: String) throws {
        let emulator = ManualEmulator()
        let reply = emulator.call(method, target, #"{"message":{"topic":"t"}}"#)
        #expect(reply.status == 404)
        #expect(reply.contentType == "text/html; charset=UTF-8")
        #expect(reply.text.contains("Error 404 (Not Found)!!1"))
        #expect(!reply.text.contains("<script>"))
        #expect(try emulator.requests().first?["path"] == .string(target))
    }

    @Test func `a body over the limit is refused`() throws {
        let emulator = ManualEmulator()
        let reply = Reply(emulator.backend.answer(Call("POST", "/v1/projects/p/messages:send", body: nil)))
        #expect(reply.status == 413)
        #expect(try reply.json()["error"]?["code"] == 413)
    }
}
