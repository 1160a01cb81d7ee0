import FCM
import Testing

@testable import FCMEmulator

@Suite struct PageTests {
    @Test(arguments: [("/", "text/html"), ("/emulator/page.css", "text/css"), ("/emulator/page.js", "text/javascript")])
    func `the page comes with a policy that lets nothing else in`(_ path: String, _ type: String) throws {
        let emulator = ManualEmulator()
        let reply = emulator.call("GET", path)
        #expect(reply.status == 200)
        #expect(reply.contentType == "\(type); charset=UTF-8")
        let policy = try #require(reply.headers["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self';"))
        #expect(!policy.contains("unsafe"))
        #expect(!reply.text.contains("://"))
        #expect(try emulator.requests().isEmpty)
    }

    /// The text of a message must never become markup.
    @Test(arguments: ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"])
    func `the script makes no markup of text`(_ way: String) {
        #expect(!ManualEmulator().call("GET", "/emulator/page.js").text.contains(way))
    }

    @Test func `the overview shows the first few of everything`() throws {
        let emulator = ManualEmulator()
        for number in 1...60 { try emulator.enrol(fid(number), topics: ["t\(number % 2)"]) }
        _ = emulator.send(#"{"message":{"topic":"t1","notification":{"title":"T"}}}"#)
        let all = try emulator.call("GET", "/emulator/v1/overview").json()
        #expect(all["registrations"] == 60)
        let devices = try #require(all["devices"]?.array)
        #expect(devices.map { $0["registration"]?.string } == (1...48).map { fid($0) })
        #expect(devices.first?["inbox"]?.array?.map { $0["shown"] } == [["title": "T"]])
        #expect(all["topics"] == [["topic": "t0", "members": 30], ["topic": "t1", "members": 30]])
        #expect(all["groups"] == [])
        #expect(all["sends"]?.array?.map { $0["target"] } == [["topic": "t1"]])
        #expect(all["time"] == "2026-12-01T08:00:00.250Z")
        #expect(all["ahead_seconds"] == 0)
        let found = try emulator.call("GET", "/emulator/v1/overview?find=59").json()
        #expect(found["devices"]?.array?.map { $0["registration"] } == [.string(fid(59))])
    }

    @Test func `a topic has no subscriber that FCM has dropped`() throws {
        let emulator = ManualEmulator()
        for number in 1...3 { try emulator.enrol(fid(number), topics: ["news"]) }
        try emulator.enrol(fid(1), state: "unregistered")
        let all = try emulator.call("GET", "/emulator/v1/overview").json()
        #expect(all["topics"] == [["topic": "news", "members": 2]])
    }

    @Test func `the overview shows no send that was forgotten, and the time that was put forward`() throws {
        let emulator = ManualEmulator()
        _ = emulator.send(#"{"message":{"topic":"old"}}"#)
        _ = emulator.call("POST", "/emulator/v1/reset")
        _ = emulator.send(#"{"message":{"topic":"new"}}"#)
        try emulator.advanceWorld("90s")
        let all = try emulator.call("GET", "/emulator/v1/overview").json()
        #expect(all["sends"]?.array?.map { $0["target"] } == [["topic": "new"]])
        #expect(all["ahead_seconds"] == 90)
        #expect(all["time"] == "2026-12-01T08:01:30.250Z")
    }

    /// The page calls this when a message is clicked.
    @Test func `the ledger gives the line of one message alone`() throws {
        let emulator = ManualEmulator()
        let ids = try (1...3).map { number in
            let nested = #""webpush":{"data":{"a":"b"},"notification":{"message_id":"\#(number)"}}"#
            return try emulator.send(#"{"message":{"fid":"\#(fid(number))",\#(nested)}}"#).messageID()
        }
        let all = try emulator.ledger()
        for (id, line) in zip(ids, all) {
            let name = id.replacing("%", with: "%25")
            #expect(try emulator.call("GET", "/emulator/v1/ledger?message_id=\(name)").lines() == [line])
        }
        for stranger in ["1", "", "0", "%22"] {
            #expect(emulator.call("GET", "/emulator/v1/ledger?message_id=\(stranger)").text.isEmpty)
        }
    }
}
