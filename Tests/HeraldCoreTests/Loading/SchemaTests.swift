import FCM
import Foundation
import Testing

@testable import HeraldCore

/// Editors offer what the loader accepts: the schemas and the tables of keys have the same names.
struct SchemaTests {
    /// A mapping of the file format: its schema, the path to it there, and the keys that the loader accepts.
    struct Place: Sendable, CustomTestStringConvertible {
        var schema: String
        var path: [String]
        var table: KeyTable

        init(_ schema: String, _ path: [String], _ table: KeyTable) {
            (self.schema, self.path, self.table) = (schema, path, table)
        }

        var testDescription: String { ([schema] + path).joined(separator: "/") }
    }

    static let places: [Place] =
        ResourceReader.keys.sorted { $0.key < $1.key }.map { Place($0.key, [], $0.value) } + [
            Place("herald", [], SettingsReader.keys), Place("herald", ["fcm"], SettingsReader.fcmKeys),
            Place("herald", ["state"], SettingsReader.stateKeys),
            Place("herald", ["runner"], SettingsReader.runnerKeys),
            Place("herald", ["guards"], SettingsReader.guardKeys),
            Place("herald", ["frequency_caps"], SettingsReader.capKeys),
            Place("herald", ["feedback"], SettingsReader.feedbackKeys),
            Place("herald", ["suppress"], SettingsReader.suppressionKeys),
            Place("herald", ["notify"], SettingsReader.webhookKeys),
            Place("herald", ["delivery"], SettingsReader.deliveryKeys),
            Place("herald", ["delivery", "window"], WindowReader.keys),
            Place("herald", ["delivery", "window", "timezone"], ZoneReader.keys),
            Place("audience", ["source"], ResourceReader.sourceKeys),
            Place("audience", ["source", "fetch"], ResourceReader.fetchKeys),
            Place("audience", ["source", "expect"], ResourceReader.expectKeys),
            Place("audience", ["source", "columns"], ResourceReader.columnKeys),
            Place("audience", ["where", "*"], ResourceReader.comparisonKeys),
            Place("audience", ["outcome"], ResourceReader.outcomeKeys),
            Place("audience", ["fields", "*"], ResourceReader.fieldKeys),
            Place("group", ["members"], ResourceReader.memberKeys),
            Place("campaign", ["target"], ResourceReader.targetKeys),
            Place("campaign", ["target", "topics"], ResourceReader.topicsKeys),
            Place("campaign", ["schedule"], ScheduleReader.keys),
            Place("campaign", ["schedule", "dst"], ScheduleReader.dstKeys),
            Place("campaign", ["schedule", "timezone"], ZoneReader.keys),
            Place("campaign", ["delivery"], ResourceReader.deliveryKeys),
            Place("campaign", ["delivery", "window"], WindowReader.keys),
            Place("campaign", ["delivery", "halt_when"], StagesReader.limitKeys),
            Place("campaign", ["delivery", "window", "timezone"], ZoneReader.keys),
            Place("campaign", ["frequency_caps"], ResourceReader.frequencyKeys),
            Place("campaign", ["acknowledge"], ResourceReader.acknowledgeKeys),
            Place("campaign", ["personal"], ResourceReader.personalKeys),
            Place("campaign", ["variants", "*"], ResourceReader.variantKeys),
            Place("campaign", ["split"], ResourceReader.splitKeys),
        ]

    @Test(arguments: places)
    func `a schema has the loader's keys and requires what it requires`(_ place: Place) throws {
        let schema = try Schema(of: place.schema)
        let part = try #require(schema.part(at: place.path))
        #expect(schema.names(of: part) == Set(place.table.known))
        // Without a kind, a document has no table of keys to compare with.
        let required = place.table.required + place.table.known.filter { $0 == "kind" }
        #expect(Set(part["required"]?.array?.compactMap(\.string) ?? []) == Set(required))
        #expect(part["additionalProperties"] == false)
    }

    /// Otherwise a closed mapping of the schema without a table would never be compared.
    @Test(arguments: ["herald", "audience", "topic", "group", "campaign"])
    func `every mapping of a schema has its table`(_ name: String) throws {
        let schema = try Schema(of: name)
        var waiting: [[String]] = [[]]
        var found: Set<[String]> = []
        while let path = waiting.popLast() {
            // The message has its own form, which is compared below.
            guard path != ["message"], let part = schema.part(at: path) else { continue }
            if Self.patches.contains(path) { continue }
            let names = schema.names(of: part)
            if !names.isEmpty { found.insert(path) }
            waiting += names.map { path + [$0] }
            if schema.hasFreeNames(part) { waiting.append(path + ["*"]) }
        }
        #expect(found == Set(Self.places.filter { $0.schema == name }.map(\.path)))
    }

    /// What changes a message.
    private static let patches = [["locales", "*"], ["variants", "*", "message"], ["variants", "*", "locales", "*"]]

    @Test(arguments: patches)
    func `what changes a message has its keys`(_ path: [String]) throws {
        let schema = try Schema(of: "campaign")
        let part = try #require(schema.part(at: path))
        let message = try #require(schema.part(at: ["message"]))
        #expect(schema.names(of: part) == schema.names(of: message))
        #expect(part["additionalProperties"] == false)
    }

    @Test func `the schema offers the spellings that are read, and no others`() throws {
        let schema = try Schema(of: "campaign")
        var waiting: [(path: [String], shape: MessageShape)] = [(["message"], .message)]
        var compared = 0
        while let (path, shape) = waiting.popLast() {
            switch shape {
            case .object(let shapes, _): waiting += shapes.map { (path + [$0.key], $0.value) }
            case .oneOf(let values):
                let offered = schema.part(at: path)?["enum"]?.array?.compactMap(\.string) ?? []
                #expect(Set(offered) == Set(values + values.map { $0.lowercased() }), "\(path.joined(separator: "/"))")
                for value in offered + ["Mixed", values[0].capitalized] {
                    var findings = Findings(file: "x.yaml")
                    let node = Node(
                        content: .scalar(.init(text: value, isPlain: true)),
                        range: TextRange(start: .init(line: 1, column: 1), end: .init(line: 1, column: 2)))
                    #expect((shape.json(from: node, "it", &findings) != nil) == offered.contains(value), "\(value)")
                }
                compared += 1
            default: break
            }
        }
        #expect(compared == 6)
    }

    @Test func `the schema's message has the loader's shape`() throws {
        let schema = try Schema(of: "campaign")
        var waiting: [(path: [String], shape: MessageShape)] = [(["message"], .message)]
        var compared = 0
        while let (path, shape) = waiting.popLast() {
            guard case .object(let shapes, _) = shape else { continue }
            let part = try #require(schema.part(at: path))
            #expect(schema.names(of: part) == Set(shapes.keys), "\(path.joined(separator: "/"))")
            #expect(part["additionalProperties"] == false, "\(path.joined(separator: "/"))")
            waiting += shapes.map { (path + [$0.key], $0.value) }
            compared += 1
        }
        #expect(compared > 8)
    }
}

/// A JSON Schema of the folder `schemas`.
private struct Schema {
    private let root: JSONValue

    init(of name: String) throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        root = try JSONValue(parsing: Data(contentsOf: package.appending(path: "schemas/\(name).schema.json")))
    }

    /// The schema's part at the end of a path of properties. `*` is any name where names are free.
    func part(at path: [String]) -> JSONValue? {
        path.reduce(root) { part, key in
            part.flatMap { key == "*" ? followed($0)["additionalProperties"] : properties(of: $0)?[key] }.map(followed)
        }
    }

    func hasFreeNames(_ part: JSONValue) -> Bool { followed(part)["additionalProperties"]?.object != nil }

    func names(of part: JSONValue) -> Set<String> { Set((properties(of: part) ?? [:]).keys) }

    /// The properties of a mapping, or of the only mapping in a list or a choice.
    private func properties(of part: JSONValue) -> [String: JSONValue]? {
        followed(part)["properties"]?.object
    }

    private func followed(_ part: JSONValue) -> JSONValue {
        if let reference = part["$ref"]?.string {
            let steps = reference.split(separator: "/").dropFirst()
            return steps.reduce(root) { $0?[String($1)] }.map(followed) ?? part
        }
        if part["properties"] != nil { return part }
        let inner = [part["items"]].compactMap(\.self) + (part["anyOf"]?.array ?? [])
        return inner.lazy.map(followed).first { $0["properties"] != nil } ?? part
    }
}
