package import FCM
import Foundation

/// The names of FCM's v1 API by Google's own description of it, which shares nothing with herald. The table
/// Tests/fixtures/fcm-v1.tsv says where they come from; make_fcm_names.py beside it writes it.
package struct FCMDescription: Sendable {
    /// Everything that a request to send may hold.
    package var sent: [Value] = []
    /// Everything in a page of a registration's subscriptions.
    package var page: [Value] = []
    /// The query parameters of the methods of `topicSubscriptions`.
    package var queries: [String: [String]] = [:]

    /// A value that holds no others.
    package struct Value: Hashable, Sendable, CustomStringConvertible {
        /// The names that lead to it, in lower camel case. That of a list ends in `[]`.
        package var path: [String]
        /// Google's word for it, with its format or its words.
        package var type: String

        package init(path: [String], type: String) { (self.path, self.type) = (path, type) }

        package var description: String { "\(path.joined(separator: ".")): \(type)" }
    }

    package init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let text = try String(contentsOf: root.appending(path: "Tests/fixtures/fcm-v1.tsv"), encoding: .utf8)
        for line in text.split(separator: "\n") {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            switch columns[0] {
            case "send": sent.append(Value(path: columns[1].split(separator: ".").map(String.init), type: columns[2]))
            case "answer": page.append(Value(path: columns[1].split(separator: ".").map(String.init), type: columns[2]))
            case "query": queries[columns[1]] = columns[2].split(separator: " ").map(String.init)
            default: break
            }
        }
    }
}

extension FCMDescription.Value {
    /// A value of its type.
    package var sample: JSONValue {
        let parts = type.split(separator: " ").map(String.init)
        switch (parts[0], parts.dropFirst().last) {
        case ("boolean", _): return true
        case ("integer", _): return 7
        case ("number", _): return .double(0.5)
        case ("object", "string"): return ["k": "v"]
        case ("object", "any"): return ["camelCase": ["snake_case": 7]]
        case ("object", _): return [:]
        case (_, "google-duration"): return "2s"
        case (_, "google-datetime"): return "2026-12-01T08:00:00Z"
        case (_, let word?): return .string(word)
        default:
            let links = ["image": "https://x.example/a.png", "link": "https://x.example/a"]
            return .string(links[path.last ?? ""] ?? (path.last == "color" ? "#0b5fa5" : "text"))
        }
    }

    /// A document with this value alone.
    ///
    /// - Parameter spelled: makes a name of each in the path.
    package func document(
        from place: Int = 0, with value: JSONValue? = nil, _ spelled: (String) -> String = { $0 }
    ) -> JSONValue {
        path[place...].reversed().reduce(value ?? sample) { inner, name in
            name.hasSuffix("[]") ? [spelled(String(name.dropLast(2))): [inner]] : [spelled(name): inner]
        }
    }

    /// `topicName` is `topic_name`.
    package static func snake(_ name: String) -> String {
        name.map { $0.isUppercase ? "_\($0.lowercased())" : String($0) }.joined()
    }
}
