import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A campaign's message can hold whatever FCM's own description of a message has, and nothing else.
struct DescriptionTests {
    /// What the campaign's target says, and what only an answer has.
    private static let elsewhere = ["fid", "token", "topic", "condition", "name"]

    private func described() throws -> [FCMDescription.Value] {
        try FCMDescription().sent.filter { $0.path[0] == "message" && !Self.elsewhere.contains($0.path[1]) }
    }

    /// The values of a shape, in the words of the description.
    private func values(of shape: MessageShape, at path: [String]) -> [FCMDescription.Value] {
        func value(_ type: String) -> [FCMDescription.Value] { [.init(path: path, type: type)] }
        switch shape {
        case .object(let shapes, _):
            if shapes.isEmpty { return value("object") }
            return shapes.flatMap { values(of: $0.value, at: path + [$0.key]) }
        case .list(let element):
            return values(of: element, at: path.dropLast() + ["\(path.last ?? "")[]"])
        case .lightColor:
            return ["red", "green", "blue", "alpha"].map { .init(path: path + [$0], type: "number float") }
        case .string, .form: return value("string")
        case .bool: return value("boolean")
        case .int: return value("integer int32")
        case .duration, .timeToLive: return value("string google-duration")
        case .time: return value("string google-datetime")
        case .oneOf(let words): return value("string \(words.joined(separator: " "))")
        case .strings, .data: return value("object of string")
        case .verbatim, .apnsPayload: return value("object of any")
        }
    }

    @Test func `a message has all values of FCM's description, with its types and words`() throws {
        let known = values(of: .message, at: ["message"])
        let wanted = try described().map { value in
            FCMDescription.Value(path: value.path.map(FCMDescription.Value.snake), type: value.type)
        }
        #expect(Set(wanted).subtracting(known).map(\.description).sorted() == [])
        #expect(Set(known).subtracting(wanted).map(\.description).sorted() == [])
        #expect(wanted.count > 90)
    }

    @Test func `each value is read from a file as FCM gets it`() throws {
        for value in try described() {
            let json = value.document(from: 1, FCMDescription.Value.snake)
            let source = SourceText(file: "x.yaml", bytes: try json.bytes())
            let node = try #require(YAMLComposer.documents(in: source).documents.first)
            var findings = Findings(file: "x.yaml")
            #expect(MessageShape.message.json(from: node, "it", &findings) == json, "\(value)")
            #expect(findings.diagnostics.map(\.message) == [], "\(value)")
        }
    }

    @Test func `a message in FCM's spelling is converted to a file with each of its values`() throws {
        for value in try described() {
            var translation = MessageTranslation()
            let message = translation.message(value.document(from: 1).object ?? [:])
            #expect(.object(message) == value.document(from: 1, FCMDescription.Value.snake), "\(value)")
            #expect(translation.notes == [], "\(value)")
        }
    }
}
