import FCM
import Synchronization
import Testing

@testable import FCMEmulator

/// A backend with a clock that stays at 2026-12-01T08:00:00.250Z until a test moves it, unless it ticks.
struct ManualEmulator: Sendable {
    var backend: Backend
    private let clock: Clock

    final class Clock: Sendable {
        let seconds = Mutex(1_796_112_000.25)
        /// How far each look at it moves it, in seconds.
        let tick: Double

        init(tick: Double = 0) { self.tick = tick }

        var now: Date {
            seconds.withLock { seconds in
                defer { seconds += tick }
                return Date(timeIntervalSince1970: seconds)
            }
        }
    }

    init(
        strict: Bool = false, membershipDelay: Duration = .zero, signIn: SignIn = SignIn(), today: Date? = nil
    ) {
        let clock = Clock()
        self.clock = clock
        backend = Backend(
            settings: Self.settings(strict, membershipDelay, today), signIn: signIn, now: { clock.now })
    }

    /// - Parameters:
    ///   - data: the path of the journal that the world is restored from and written to.
    ///   - tick: how far each look at the clock moves it, in seconds.
    init(
        data: String, strict: Bool = false, membershipDelay: Duration = .zero, signIn: SignIn = SignIn(),
        today: Date? = nil, tick: Double = 0
    ) throws {
        let clock = Clock(tick: tick)
        self.clock = clock
        backend = try Backend(
            settings: Self.settings(strict, membershipDelay, today), signIn: signIn, faults: FaultScript(),
            data: data, ledger: nil, now: { clock.now })
    }

    private static func settings(_ strict: Bool, _ membershipDelay: Duration, _ today: Date?) -> World.Settings {
        var configuration = Emulator.Configuration(strict: strict)
        (configuration.membershipDelay, configuration.today) = (membershipDelay, today)
        return World.Settings(configuration)
    }

    func advance(by seconds: Double) { clock.seconds.withLock { $0 += seconds } }

    func call(
        _ method: String, _ target: String, _ body: String = "", headers: KeyValuePairs<String, String> = [:]
    ) -> Reply {
        let headers = headers.map { (name: $0.key, value: $0.value) }
        return Reply(backend.answer(Call(method, target, headers: headers, body: Array(body.utf8))))
    }

    /// Sends a message body to project `p`.
    func send(_ body: String) -> Reply { call("POST", "/v1/projects/p/messages:send", body) }

    func enrol(_ list: JSONValue) throws {
        let reply = call("PUT", "/emulator/v1/registrations", String(decoding: try list.bytes(), as: UTF8.self))
        try #require(reply.status == 200)
    }

    func enrol(_ registration: String, platform: String = "android", state: String = "active", topics: [String] = [])
        throws
    {
        try enrol([
            [
                "registration": .string(registration), "platform": .string(platform), "state": .string(state),
                "topics": .array(topics.map(JSONValue.string)),
            ]
        ])
    }

    func subscribe(_ registration: String, to topic: String) -> Reply {
        call("POST", "/v1/projects/p/registrations/\(registration)/topicSubscriptions?topic_name=\(topic)", "{}")
    }

    /// Changes a device.
    func device(_ registration: String, _ body: String) throws {
        try #require(call("PUT", "/emulator/v1/devices/\(registration)", body).status == 200)
    }

    /// Moves the emulator's time ahead of the emulator's clock.
    func advanceWorld(_ span: String) throws {
        try #require(call("POST", "/emulator/v1/clock", #"{"advance":"\#(span)"}"#).status == 200)
    }

    func ledger() throws -> [JSONValue] { try call("GET", "/emulator/v1/ledger").lines() }
    func requests() throws -> [JSONValue] { try call("GET", "/emulator/v1/requests").lines() }

    func inbox(_ registration: String) throws -> [JSONValue] {
        try #require(try call("GET", "/emulator/v1/devices/\(registration)/inbox").json().array)
    }
}

struct Reply {
    let status: Int
    let contentType: String
    let headers: [String: String]
    let text: String

    init(_ answer: Answer) {
        status = answer.status
        contentType = answer.contentType
        headers = Dictionary(answer.headers.map { ($0.name, $0.value) }) { first, _ in first }
        text = String(decoding: answer.body.joined(), as: UTF8.self)
    }

    func json() throws -> JSONValue { try JSONValue(parsing: text.utf8) }

    func lines() throws -> [JSONValue] {
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return try text.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
    }

    /// The id at the end of the message's name.
    func messageID() throws -> String {
        let name = try #require(try json()["name"]?.string)
        return try #require(name.split(separator: "/").last.map(String.init))
    }
}

/// Well-formed fids and tokens. Token `n` belongs to installation `n`.
func fid(_ number: Int) -> String {
    let digits = String(number)
    return "d" + String(repeating: "0", count: 21 - digits.utf8.count) + digits
}

func token(_ number: Int, rotation: String = "A") -> String {
    fid(number) + ":APA91b" + String(repeating: rotation, count: 120)
}
