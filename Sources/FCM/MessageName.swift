/// FCM's name for an accepted message: `projects/PROJECT/messages/ID` (REST reference, `projects.messages.send`).
struct MessageName {
    /// The last part of the name.
    let id: String

    /// Reads the name from the body of a 200. `nil` if the body has none.
    ///
    /// - Parameter body: a JSON object. Only its `name` is read.
    init?(acceptance body: [UInt8]) {
        if let plain = Self.plainName(of: body) {
            id = String(decoding: body[plain], as: UTF8.self)
            return
        }
        guard let name = (try? JSONValue(parsing: body))?["name"]?.string, let last = name.split(separator: "/").last
        else { return nil }
        id = String(last)
    }

    /// The range of the id in a body that holds only the name, without escapes, as FCM always answers. This is a fast
    /// path: decoding JSON would take longer than all other work on one message.
    private static func plainName(of body: [UInt8]) -> Range<Int>? {
        var place = 0
        func skip(_ expected: StaticString) -> Bool {
            while place < body.count, [0x20, 0x0A, 0x0D, 0x09].contains(body[place]) { place += 1 }
            let end = place + expected.utf8CodeUnitCount
            guard end <= body.count else { return false }
            for index in 0..<expected.utf8CodeUnitCount where body[place + index] != expected.utf8Start[index] {
                return false
            }
            place = end
            return true
        }
        guard skip("{"), skip("\"name\""), skip(":"), skip("\"") else { return nil }
        var first = place
        while place < body.count, body[place] != UInt8(ascii: "\"") {
            guard (0x21...0x7E).contains(body[place]), body[place] != UInt8(ascii: "\\") else { return nil }
            if body[place] == UInt8(ascii: "/") { first = place + 1 }
            place += 1
        }
        let end = place
        guard first < end, skip("\""), skip("}") else { return nil }
        while place < body.count, [0x20, 0x0A, 0x0D, 0x09].contains(body[place]) { place += 1 }
        return place == body.count ? first..<end : nil
    }
}
