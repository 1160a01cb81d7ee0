import Testing

/// What `Sources/HeraldCore` promises about its folders, and that a broken promise is found.
@Suite struct ArrowTests {
    @Test func `folders of HeraldCore use only what they may`() throws {
        let folders = try SourceFolder.inside("Sources/HeraldCore").map {
            try SourceFolder("Sources/HeraldCore/\($0)", module: "HeraldCore")
        }
        let arrows = Arrow.all(between: folders)
        // Enough to know that the files were read: Loading alone uses Campaign far more often.
        #expect(arrows.count > 100)
        for arrow in arrows where !Rooms.heraldCore.allows(arrow) { Issue.record("\(arrow)") }
    }

    @Test func `the rules know the folders that there are`() throws {
        #expect(Rooms.heraldCore.uses.keys.sorted() == (try SourceFolder.inside("Sources/HeraldCore")))
    }

    /// What the emulator shares with the client are names and shapes. If it judged answers by the client's own code, a
    /// mistake there would stand on both sides, and no test would see it.
    @Test func `the emulator names nothing that asks FCM or judges its answers`() throws {
        let ofTheClient: Set<String> = [
            "BatchOperation", "Exchange", "GroupOperation", "GroupVerdict", "Sender", "Verdict", "WireRequest",
        ]
        let fcm = try SourceFolder("Sources/FCM", module: "FCM")
        #expect(ofTheClient.isSubset(of: fcm.files.flatMap(\.declared)), "a type has another name now")
        let emulator = try SourceFolder("Sources/FCMEmulator", module: "FCMEmulator")
        for file in emulator.files {
            let found = file.named.intersection(ofTheClient).subtracting(file.own)
            #expect(found.isEmpty, "\(file.name) names \(found.sorted()) of the client's half of FCM")
        }
    }

    @Test(arguments: [
        "struct Plan { let loader: Loader }",
        "extension Loader { var size: Int { 0 } }",
        "func plan() throws(Loader) {}",
        "let text = \"\\(Loader.name)\"",
        "let text = #\"\"\"\n  \"\\#(Loader.name)\"\n  \"\"\"#",
        "let kind = Core.Loader.self",
        // A nested type of another file is named by the type around it.
        "let kind = Loader.Kind.file",
        "/* /* */ */ let kind = Loader.self",
    ])
    func `a type of another folder is found`(in text: String) {
        #expect(arrows(text) == [Arrow(user: "Planning", file: "Plan.swift", type: "Loader", owner: "Loading")])
    }

    @Test(arguments: [
        "// The Loader has read it.",
        "/* Loader /* Loader */ Loader */",
        "let text = \"Loader\"",
        "let text = \"\\\"Loader\"",
        "let text = #\"\\(Loader) \"Loader\"#",
        "let text = \"\"\"\n    a \"Loader\"\n    \"\"\"",
        // Nested, private and qualified names are others of the same name.
        "struct Plan { struct Loader {}\n  let loader: Loader }",
        "private enum Loader { case none }\nlet loader = Loader.none",
        "let kind = Plan.Loader.self",
        "protocol Plan { associatedtype Loader\n  var loader: Loader { get } }",
    ])
    func `what only looks like a type of another folder is not`(_ text: String) {
        #expect(arrows(text).isEmpty)
    }

    @Test(arguments: [
        ("package struct A {}", ["A"]), ("@frozen public indirect enum A {}", ["A"]), ("final class A {}", ["A"]),
        ("typealias A = Int", ["A"]), ("private struct A {}", []), ("fileprivate final class A {}", []),
        ("struct A { class func B() {} }\nstruct C { struct D {} }", ["A", "C"]),
        ("private let a = 1\nstruct A {}", ["A"]),
    ])
    func `declares`(_ text: String, _ names: [String]) {
        #expect(SourceFile(name: "", text: text).declared.sorted() == names)
    }

    @Test func `arrows of arrows are allowed, and none back or to the side`() {
        func isAllowed(_ user: String, _ owner: String) -> Bool {
            Rooms.heraldCore.allows(Arrow(user: user, file: "", type: "", owner: owner))
        }
        #expect(isAllowed("Reporting", "Diagnostics"))
        #expect(isAllowed("Loading", "Campaign"))
        #expect(!isAllowed("Campaign", "Loading"))
        #expect(!isAllowed("Reporting", "Loading"))
        #expect(!isAllowed("Loading", "Planning"))
        #expect(!isAllowed("Planning", "Loading"))
        #expect(!isAllowed("State", "RecipientIndex"))
    }

    private func arrows(_ text: String) -> [Arrow] {
        Arrow.all(between: [
            SourceFolder(
                name: "Loading", files: [SourceFile(name: "Loader.swift", text: "package struct Loader: Error {}")]),
            SourceFolder(name: "Planning", files: [SourceFile(name: "Plan.swift", text: text, module: "Core")]),
        ])
    }
}
