import Testing

@testable import FCM

/// What Android apps get of `android_v2`, which FCM translates for those that do not know it.
@Suite struct AndroidPreviewTests {
    private static let stamp = DevicePayload.Stamp(
        messageID: "1", installation: "cTEST00000000000000001", sender: "123456789012",
        secondsSince1970: 1_796_112_000)

    private func device(_ message: String) throws -> DevicePayload {
        DevicePayload(of: try #require(try JSONValue(parsing: message.utf8).object), on: .android, stamp: Self.stamp)
    }

    @Test func `a remote notification is shown at once, with what is common`() throws {
        let device = try device(
            """
            {"notification":{"title":"T","body":"B"},"data":{"a":"1"},"android_v2":{"ttl":"60s","data":{"b":"2"},
             "remote_notification":{"mutable_content":true,"notification":{"body":"V","tag":"t","id":7}}}}
            """)
        #expect(device.shown == .init(title: "T", body: "V", tag: "t"))
        #expect(device.payload == ["notification": ["title": "T", "body": "V", "tag": "t"], "data": ["b": "2"]])
        #expect(device.headers == ["priority": "high", "ttl": "60s"])
        #expect(device.retention.expires == Self.stamp.secondsSince1970 + 60)
        #expect(device.warnings == ["'a' of data does not arrive: android_v2.data replaces all of it"])
    }

    @Test func `a remote notification may be data alone to apps that do not know it`() throws {
        let device = try device(
            """
            {"notification":{"title":"T"},"data":{"a":"1"},
             "android_v2":{"remote_notification":{"use_as_v1_data_message":true,"notification":{"body":"V"}}}}
            """)
        #expect(device.shown == nil)
        #expect(device.payload == ["data": ["a": "1"]])
        #expect(device.headers == ["priority": "high"])
        #expect(device.callbacks.background == "onMessageReceived")
        #expect(device.warnings.first == "apps that know android_v2 show its notification; others get data alone")
        // Those that know it get both.
        #expect(device.size == "titleT".utf8.count + "bodyV".utf8.count + "a1".utf8.count)
    }

    @Test func `a background sync shows nothing and may wait`() throws {
        let device = try device(#"{"notification":{"title":"T"},"data":{"a":"1"},"android_v2":{"background_sync":{}}}"#)
        #expect(device.shown == nil)
        #expect(device.payload == ["data": ["a": "1"]])
        #expect(device.headers == ["priority": "normal"])
        #expect(device.warnings == ["a background sync shows nothing"])
    }

    @Test(arguments: [("", String?.none), (#""collapse_key":"k","#, "k")])
    func `a message of the preview collapses only under a key of its own`(_ key: String, _ collapsed: String?) throws {
        let message = #"{"android_v2":{\#(key)"remote_notification":{"notification":{"title":"T"}}}}"#
        let device = try device(message)
        #expect(device.retention.collapseKey == collapsed)
        #expect(device.extras["collapse_key"] == collapsed.map { .string($0) })
    }
}
