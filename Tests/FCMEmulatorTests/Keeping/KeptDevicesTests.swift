import FCM
import Testing

@testable import FCMEmulator

/// The state of devices and their apps across restarts of the emulator.
@Suite(.timeLimit(.minutes(5))) struct KeptDevicesTests {
    private let place: JournalPlace

    init() throws { place = try JournalPlace() }

    private func start() throws -> ManualEmulator {
        try ManualEmulator(data: place.path, membershipDelay: .seconds(30))
    }

    /// Everything that is shown about devices and the time.
    private func sight(of emulator: ManualEmulator) -> [String] {
        ["overview", "clock", "devices/\(fid(1))", "devices/\(fid(2))", "devices/\(fid(1))/inbox"].map {
            emulator.call("GET", "/emulator/v1/\($0)").text
        }
    }

    private func push(_ text: String, to number: Int, ttl: Int = 3600, in emulator: ManualEmulator) {
        let message = #""data":{"n":"\#(text)"},"android":{"ttl":"\#(ttl)s"}"#
        #expect(emulator.send(#"{"message":{"fid":"\#(fid(number))",\#(message)}}"#).status == 200)
    }

    private func received(_ number: Int, in emulator: ManualEmulator) throws -> [String?] {
        try emulator.inbox(fid(number)).map { $0["data"]?["n"]?.string }
    }

    @Test func `a device that is away stays so, with what waits for it and what it lost`() throws {
        var seen: [String] = []
        do {
            let emulator = try start()
            push("before", to: 1, in: emulator)
            try emulator.device(fid(1), #"{"online":false,"app":"foreground"}"#)
            try emulator.device(fid(2), #"{"app":"terminated"}"#)
            push("lost", to: 1, ttl: 0, in: emulator)
            push("short", to: 1, ttl: 60, in: emulator)
            push("long", to: 1, ttl: 7200, in: emulator)
            try emulator.advanceWorld("1h")
            push("last", to: 1, in: emulator)
            seen = sight(of: emulator)
        }
        for _ in 1...2 { #expect(try sight(of: start()) == seen) }
        let again = try start()
        try again.advanceWorld("30m")
        try again.device(fid(1), #"{"online":true}"#)
        #expect(try received(1, in: again) == ["before", "long", "last"])
        let device = try again.call("GET", "/emulator/v1/devices/\(fid(1))").json()
        #expect(device["app"] == "foreground")
        #expect(device["dropped"] == ["not_connected": 1, "expired": 1])
        #expect(try again.call("GET", "/emulator/v1/devices/\(fid(2))").json()["app"] == "terminated")
        #expect(try again.call("GET", "/emulator/v1/clock").json()["ahead_seconds"] == 5400)
    }

    @Test func `a clock that was put forward is so again, until a reset`() throws {
        do { try start().advanceWorld("2d") }
        do {
            let again = try start()
            #expect(try again.call("GET", "/emulator/v1/clock").json()["time"] == "2026-12-03T08:00:00.250Z")
            try again.advanceWorld("1h")
            #expect(again.call("POST", "/emulator/v1/reset").status == 200)
        }
        #expect(try start().call("GET", "/emulator/v1/clock").json()["ahead_seconds"] == 0)
    }

    @Test func `a subscription takes effect when it would have`() throws {
        do {
            let emulator = try start()
            _ = emulator.subscribe(fid(1), to: "t")
            try emulator.advanceWorld("20s")
            _ = emulator.subscribe(fid(2), to: "t")
        }
        let again = try ManualEmulator(data: place.path)
        let send = #"{"message":{"topic":"t","data":{"n":"1"}}}"#
        #expect(again.send(send).status == 200)
        try again.advanceWorld("10s")
        #expect(again.send(send).status == 200)
        try again.advanceWorld("20s")
        #expect(again.send(send).status == 200)
        // Without a delay from now on, a new subscriber is reached at once.
        _ = again.subscribe(fid(3), to: "t")
        #expect(again.send(send).status == 200)
        #expect(try again.ledger().map { $0["fan_out"] } == [0, 1, 2, 3])
    }

    @Test func `an app keeps its installation and its token, and stays away once it went`() throws {
        let web = #"{"web":{"endpoint":"https://push.example.com/1","auth":"YQ","p256dh":"BA"}}"#
        var (secrets, tokens): ([Int: String], [String?]) = ([:], [])
        func proof(_ number: Int) -> KeyValuePairs<String, String> {
            ["x-goog-api-key": "k", "authorization": "FIS_v2 \(secrets[number] ?? "")"]
        }
        func register(_ number: Int, in emulator: ManualEmulator) throws -> String? {
            let path = "/v1/projects/p/installations/\(fid(number))/authTokens:generate"
            let body = #"{"installation":{"appId":"1:1:web:1"}}"#
            let token = try emulator.call("POST", path, body, headers: proof(number)).json()["token"]?.string
            let bearer = try #require(token)
            tokens.append(bearer.split(separator: ".").last.map(String.init))
            return try emulator.call(
                "POST", "/v1/projects/p/registrations", web,
                headers: ["x-goog-api-key": "k", "x-goog-firebase-installations-auth": "FIS \(bearer)"]
            ).json()["token"]?.string
        }
        var registered: [Int: String] = [:]
        do {
            let emulator = try start()
            for number in 1...2 {
                let form = #"{"fid":"\#(fid(number))","appId":"1:1:web:1"}"#
                let reply = emulator.call(
                    "POST", "/v1/projects/p/installations", form, headers: ["x-goog-api-key": "k"])
                secrets[number] = try reply.json()["refreshToken"]?.string
                registered[number] = try register(number, in: emulator)
            }
            let gone = emulator.call("DELETE", "/v1/projects/p/installations/\(fid(2))", headers: proof(2))
            #expect(gone.status == 200)
        }
        let again = try start()
        #expect(try registered[1] == register(1, in: again))
        #expect(again.send(#"{"message":{"token":"\#(registered[1] ?? "")"}}"#).status == 200)
        #expect(again.send(#"{"message":{"token":"\#(registered[2] ?? "")"}}"#).status == 404)
        let path = "/v1/projects/p/installations/\(fid(2))/authTokens:generate"
        #expect(again.call("POST", path, "{}", headers: proof(2)).status == 404)
        #expect(Set(tokens).count == tokens.count)
        let text = try place.text()
        for secret in tokens.compactMap(\.self) + secrets.values { #expect(!text.contains(secret)) }
    }

    @Test func `an access token is kept without the credential that it was given for`() throws {
        let signIn = SignIn(isRequired: true)
        var bearers: [String] = []
        do {
            let emulator = try ManualEmulator(data: place.path, signIn: signIn)
            let refresh = emulator.call(
                "POST", "/token", "grant_type=refresh_token&client_id=c&client_secret=hush&refresh_token=hushhush",
                headers: ["content-type": "application/x-www-form-urlencoded"])
            let user = try #require(try refresh.json()["access_token"]?.string)
            let acting = emulator.call(
                "POST", "/v1/projects/-/serviceAccounts/a@p.iam.gserviceaccount.com:generateAccessToken",
                #"{"scope":["s"],"lifetime":"600s"}"#, headers: ["authorization": "Bearer \(user)"])
            bearers = [user, try #require(try acting.json()["accessToken"]?.string)]
        }
        let again = try ManualEmulator(data: place.path, signIn: signIn)
        func statuses() -> [Int] {
            bearers.map {
                again.call(
                    "POST", "/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#,
                    headers: ["authorization": "Bearer \($0)"]
                ).status
            }
        }
        #expect(statuses() == [200, 200])
        again.advance(by: 601)
        #expect(statuses() == [200, 401])
        let text = try place.text()
        #expect(!text.contains("hush"))
        for bearer in bearers { #expect(!text.contains(bearer)) }
    }

    @Test(arguments: [
        "/", "/emulator/page.js", "/emulator/v1/ledger", "/emulator/v1/ledger?message_id=1", "/emulator/v1/requests",
        "/emulator/v1/registrations", "/emulator/v1/faults", "/emulator/v1/topics/t", "/emulator/v1/groups/g",
        "/emulator/v1/devices/\(fid(1))", "/emulator/v1/devices/\(fid(1))/inbox", "/emulator/v1/overview?find=d",
        "/emulator/v1/clock", "/emulator/v1/nothing",
    ])
    func `looking writes nothing down`(_ path: String) throws {
        let emulator = try start()
        _ = emulator.subscribe(fid(1), to: "t")
        try emulator.advanceWorld("1d")
        let before = try place.bytes()
        _ = emulator.call("GET", path)
        #expect(try place.bytes() == before)
    }

    @Test func `listening writes nothing down, and neither do faults`() async throws {
        let place = place
        try await withEmulator(Emulator.Configuration(data: place.path)) { endpoint in
            let before = try place.bytes()
            let listening = try RawConnection(port: endpoint.port)
            try listening.write("GET /emulator/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            var heard = ""
            func hear(_ wanted: String) async throws {
                while !heard.contains(wanted) {
                    let piece = try await listening.read()
                    try #require(!piece.isEmpty)
                    heard += String(decoding: piece, as: UTF8.self)
                }
            }
            try await hear("retry: 1000")
            let other = try RawConnection(port: endpoint.port)
            _ = try await other.exchange("PUT", "/emulator/v1/faults", #"[{"do":{"status":503}}]"#)
            try await hear(#"{"change":"faults"}"#)
            #expect(try place.bytes() == before)
        }
    }
}
