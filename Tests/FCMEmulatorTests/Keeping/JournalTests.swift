import FCM
import Testing

@testable import FCMEmulator

@Suite struct JournalTests {
    private static let headers: KeyValuePairs = ["access_token_auth": "true", "project_id": "123456789012"]

    /// Makes some data of every kind. Returns the key of the group.
    private func live(in emulator: ManualEmulator) throws -> String {
        try emulator.enrol(token(1), platform: "ios", topics: ["tides"])
        try emulator.enrol(fid(2), state: "other_sender")
        _ = emulator.subscribe(fid(3), to: "tides")
        emulator.advance(by: 0.1)
        let batch = #"{"to":"/topics/storms","registration_tokens":["\#(token(4))","\#(token(5))","none"]}"#
        _ = emulator.call("POST", "/iid/v1:batchAdd", batch, headers: Self.headers)
        _ = emulator.call("DELETE", "/v1/projects/p/registrations/\(token(5))/topicSubscriptions/storms")
        let group = emulator.call(
            "POST", "/fcm/notification",
            #"{"operation":"create","notification_key_name":"g é","registration_ids":["\#(token(6))"]}"#,
            headers: Self.headers)
        let key = try #require(try group.json()["notification_key"]?.string)
        let targets = [
            #""token":"\#(token(1))""#, #""topic":"tides""#, #""condition":"'tides' in topics && !('x' in topics)""#,
            #""token":"\#(key)""#, #""token":"malformed""#, #""fid":"\#(fid(2))""#,
        ]
        for target in targets {
            emulator.advance(by: 1.0 / 3)
            _ = emulator.send(#"{"message":{\#(target),"notification":{"title":"Hé \"there\"\n\t"}}}"#)
        }
        emulator.script(
            #"""
            [{"match":{"topic":"dup"},"do":{"status":503,"deliver":true}},{"match":{"topic":"lost"},"do":{"close":"after"}}]
            """#)
        for topic in ["dup", "lost"] { _ = emulator.send(#"{"message":{"topic":"\#(topic)"}}"#) }
        _ = emulator.call("GET", "/iid/info/\(token(4))", headers: Self.headers)
        return key
    }

    /// Everything that the emulator's own interface shows.
    private func sight(of emulator: ManualEmulator) -> [String] {
        let paths = ["ledger", "requests", "registrations", "topics/tides", "topics/storms", "groups/g%20%C3%A9"]
        let inboxes = [token(1), fid(3), token(4), token(5), token(6)].map { "devices/\($0)/inbox" }
        return (paths + inboxes).map { emulator.call("GET", "/emulator/v1/\($0)").text }
    }

    @Test(arguments: [0, 1e-6, 0.001])
    func `a restart keeps everything, and goes on from there`(tick: Double) throws {
        let place = try JournalPlace()
        var seen: [String] = []
        var key = ""
        do {
            let emulator = try ManualEmulator(data: place.path, tick: tick)
            key = try live(in: emulator)
            seen = sight(of: emulator)
        }
        for _ in 1...2 {
            let again = try ManualEmulator(data: place.path)
            #expect(sight(of: again) == seen)
        }
        let again = try ManualEmulator(data: place.path)
        let id = try again.send(#"{"message":{"token":"\#(key)"}}"#).messageID()
        let ids = try again.ledger().compactMap { $0["message_id"]?.string }
        #expect(ids.last == id)
        #expect(Set(ids).count == ids.count)
        #expect(try again.inbox(token(6)).count == 2)
    }

    @Test func `access tokens stay known, and as long as they were to be good`() throws {
        let place = try JournalPlace()
        let signIn = SignIn(isRequired: true, lifetime: .seconds(3599), accepted: .seconds(10))
        var bearer = ""
        do {
            let emulator = try ManualEmulator(data: place.path, signIn: signIn)
            let reply = emulator.call(
                "POST", "/token", try SignedAssertion().form(),
                headers: ["content-type": "application/x-www-form-urlencoded"])
            bearer = try #require(try reply.json()["access_token"]?.string)
        }
        let again = try ManualEmulator(data: place.path, signIn: SignIn(isRequired: true))
        let body = #"{"message":{"topic":"t"}}"#
        let send = {
            again.call("POST", "/v1/projects/p/messages:send", body, headers: ["authorization": "Bearer \(bearer)"])
        }
        #expect(send().status == 200)
        again.advance(by: 11)
        #expect(send().status == 401)
        #expect(again.send(body).status == 401)
        #expect(!String(decoding: try place.bytes(), as: UTF8.self).contains(bearer))
    }

    @Test func `what was accepted stays, although the emulator is stricter now`() throws {
        let place = try JournalPlace()
        var seen: [String] = []
        do {
            let emulator = try ManualEmulator(data: place.path)
            _ = try live(in: emulator)
            seen = sight(of: emulator)
        }
        let strict = try ManualEmulator(data: place.path, strict: true)
        #expect(sight(of: strict) == seen)
        #expect(strict.send(#"{"message":{"token":"\#(token(99))"}}"#).status == 404)
    }

    @Test func `a last line that a crash has cut is as if its call had never come`() throws {
        let place = try JournalPlace()
        _ = try live(in: ManualEmulator(data: place.path))
        let whole = try place.bytes()
        let lastLine = try #require(whole.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
        try place.write(Array(whole[..<lastLine]))
        let without = try sight(of: ManualEmulator(data: place.path))
        for cut in [lastLine + 1, lastLine + 20, whole.count - 1] {
            try place.write(Array(whole[..<cut]))
            do {
                let emulator = try ManualEmulator(data: place.path)
                #expect(sight(of: emulator) == without)
                #expect(emulator.send(#"{"message":{"topic":"new"}}"#).status == 200)
            }
            let again = try ManualEmulator(data: place.path)
            #expect(try again.ledger().last?["target"] == ["topic": "new"])
        }
    }

    @Test func `damage is told with its line, and nothing is overwritten`() throws {
        let place = try JournalPlace()
        _ = try live(in: ManualEmulator(data: place.path))
        let whole = try place.bytes()
        let lines = whole.split(separator: UInt8(ascii: "\n"))
        for number in 1..<lines.count {
            var damaged = lines
            let offset = number * 37 % damaged[number].count
            damaged[number][damaged[number].startIndex + offset] ^= 1
            try expectRefusal(
                of: damaged.flatMap { $0 + [UInt8(ascii: "\n")] }, at: place, "line \(number + 1) is damaged")
        }
        // One line is missing.
        try expectRefusal(
            of: (lines[..<2] + lines[3...]).flatMap { $0 + [UInt8(ascii: "\n")] }, at: place, "line 3 is damaged")
    }

    @Test(arguments: [
        ("herald: 1\nproject: p\n", "it is not an emulator's data"), ("\n", "it is not an emulator's data"),
        ("herald emulator data 2\n", "it is of another version of herald"),
        (String(repeating: "\u{0}", count: 64), "it is not an emulator's data"),
        ("herald emulator data 1\nnonsense\n", "line 2 is damaged"),
    ])
    func `a foreign file is told, and not overwritten`(_ text: String, _ reason: String) throws {
        try expectRefusal(of: Array(text.utf8), at: JournalPlace(), reason)
    }

    private func expectRefusal(of bytes: [UInt8], at place: JournalPlace, _ reason: String) throws {
        try place.write(bytes)
        #expect(throws: EmulatorError.cannotUseData(path: place.path, reason: reason)) {
            _ = try ManualEmulator(data: place.path)
        }
        #expect(try place.bytes() == bytes)
    }

    @Test(arguments: ["", "herald emul"])
    func `a file that was only begun is a new one`(_ text: String) throws {
        let place = try JournalPlace(text)
        do { #expect(try ManualEmulator(data: place.path).send(#"{"message":{"topic":"t"}}"#).status == 200) }
        #expect(try ManualEmulator(data: place.path).ledger().count == 1)
    }

    @Test func `two emulators do not share a file, and a folder is none`() throws {
        let place = try JournalPlace()
        let first = try ManualEmulator(data: place.path)
        #expect(throws: EmulatorError.cannotUseData(path: place.path, reason: "another emulator uses it")) {
            _ = try ManualEmulator(data: place.path)
        }
        withExtendedLifetime(first) {}
        for (path, reason) in [
            ("/", "Is a directory"), ("/dev/null", "it is no file"), ("/nonexistent/data", "No such file or directory"),
        ] {
            #expect(throws: EmulatorError.cannotUseData(path: path, reason: reason)) {
                _ = try ManualEmulator(data: path)
            }
        }
    }

    @Test func `a reset forgets in the file too, but for how far was counted`() throws {
        let place = try JournalPlace()
        var id = ""
        do {
            let emulator = try ManualEmulator(data: place.path)
            _ = try live(in: emulator)
            id = try emulator.send(#"{"message":{"topic":"t"}}"#).messageID()
            #expect(emulator.call("POST", "/emulator/v1/reset").status == 200)
            try emulator.enrol(token(7))
        }
        let long = try place.bytes().count
        do {
            #expect(
                try ManualEmulator(data: place.path).call("GET", "/emulator/v1/registrations").json().array?.count == 1)
        }
        #expect(try place.bytes().count < long / 4)
        let again = try ManualEmulator(data: place.path)
        #expect(try again.call("GET", "/emulator/v1/registrations").json().array?.count == 1)
        #expect(try again.ledger().isEmpty)
        #expect(try again.requests().isEmpty)
        #expect(try again.send(#"{"message":{"topic":"t"}}"#).messageID() != id)
        let mode = try FileManager.default.attributesOfItem(atPath: place.path)[.posixPermissions]
        #expect(mode.map { "\($0)" } == String(0o600))
    }

    @Test func `bodies of any bytes come back`() throws {
        let call = Call("POST", "/iid/v1/\(token(1))/rel/topics/t", body: [0xff, 0x00, 0x0a, 0x22])
        let occasion = JournalRecord.Occasion(
            now: Date(timeIntervalSince1970: 1_796_112_000.1), counters: .init(deliveries: .max, opaque: 7),
            toldStatus: nil)
        let line = JournalRecord.change(call, occasion).line
        #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
        guard case .change(let same, let then)? = JournalRecord(parsing: line) else {
            Issue.record("it cannot be read again")
            return
        }
        #expect(then == occasion)
        #expect(same.body == call.body)
        #expect(same.path == call.path)
    }
}
