import FCM
import HeraldTestSupport
import Testing

@testable import FCMEmulator

/// The emulator knows the names of FCM's own description, in both spellings of proto3 JSON, and answers in the first.
@Suite struct DescriptionTests {
    @Test func `each value of a message is taken in both spellings`() throws {
        let values = try FCMDescription().sent
        #expect(values.count > 100)
        for value in values {
            let snake = value.document(FCMDescription.Value.snake)
            #expect(try .object(SchemaReader.read(value.document(), as: .sendRequest)) == snake, "\(value)")
            #expect(try .object(SchemaReader.read(snake, as: .sendRequest)) == snake, "\(value)")
        }
    }

    @Test func `a value of another type is refused`() throws {
        for value in try FCMDescription().sent where value.type != "object" {
            let other: JSONValue = value.type == "boolean" ? "true" : true
            #expect(throws: GoogleError.self, "\(value)") {
                try SchemaReader.read(value.document(with: other), as: .sendRequest)
            }
        }
    }

    @Test func `the query parameters of a method are taken in both spellings, and no others`() throws {
        let topics = [("create", "POST", ""), ("list", "GET", ""), ("get", "GET", "/t"), ("delete", "DELETE", "/t")]
        let queries = try FCMDescription().queries
        let all = Set(queries.values.flatMap(\.self))
        #expect(all == ["topicName", "allowMissing", "pageSize", "pageToken"])
        for (method, verb, topic) in topics + [("patch", "PATCH", "/t")] {
            let own = try #require(queries[method])
            for name in all {
                for name in [name, FCMDescription.Value.snake(name)] {
                    let emulator = ManualEmulator()
                    let body = emulator.call(
                        verb, "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions\(topic)?\(name)=", "{}")
                    let isKnown = own.contains { [$0, FCMDescription.Value.snake($0)].contains(name) }
                    #expect(body.text.contains("Cannot bind query parameter") == !isKnown, "\(method) \(name)")
                }
            }
        }
    }

    @Test func `a page of subscriptions has the description's names and no others`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), topics: ["a", "b"])
        let page = try emulator.call(
            "GET", "/v1/projects/p/registrations/\(token(1))/topicSubscriptions?pageSize=1"
        ).json()
        var found: Set<[String]> = []
        for (name, value) in page.object ?? [:] {
            for entry in value.array ?? [] { found.formUnion((entry.object ?? [:]).keys.map { [name + "[]", $0] }) }
            if value.array == nil { found.insert([name]) }
        }
        #expect(try found == Set(FCMDescription().page.map(\.path)))
    }
}
