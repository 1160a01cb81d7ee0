import HeraldCore
import HeraldTestSupport
import Testing

struct VariableTests {
    private static let environment = [
        "STATE": "s", "EMPTY": "", "RATE": "7/s", "LIMIT": "12", "NESTED": "${STATE}", "_a1": "u",
    ]

    private func state(_ text: String) throws -> (state: String?, found: [Rule]) {
        let loaded = try WorkspaceLoader.load(
            files: ["herald.yaml": settingsText + "state: \"\(text)\"\n"], environment: Self.environment)
        return (loaded.workspace?.settings.state.file, loaded.diagnostics.map(\.rule))
    }

    @Test(arguments: [
        ("${STATE}", "s"), ("a${STATE}b${STATE}", "asbs"), ("${_a1}", "u"), ("${STATE:-d}", "s"), ("${NONE:-d}", "d"),
        ("${NONE:-a b/c:d$}", "a b/c:d$"), ("x${NONE:-}", "x"), ("x${EMPTY}", "x"), ("x${EMPTY:-d}", "xd"), ("$$", "$"),
        ("$${STATE}", "${STATE}"), ("$$$$", "$$"), ("$$${STATE}", "$s"), ("${NESTED}", "${STATE}"), ("plain", "plain"),
        ("{STATE}", "{STATE}"),
    ])
    func `variables are put in once`(_ text: String, _ expected: String) throws {
        let (state, found) = try state(text)
        #expect(state == expected)
        #expect(found == [])
    }

    @Test(arguments: ["${NONE}", "a${NONE}b", "${state}"])
    func `an undefined variable is an error`(_ text: String) throws {
        #expect(try state(text).found == [.undefinedVariable])
    }

    @Test(arguments: [
        "$", "a$", "$STATE", "$(STATE)", "${", "${}", "${STATE", "${1A}", "${A-b}", "${A:=b}", "${A B}", "${STATE:d}",
    ])
    func `a dollar that begins no variable is an error`(_ text: String) throws {
        #expect(try state(text).found == [.invalidValue])
    }

    /// YAML reads what the author wrote, not what a machine puts there.
    @Test(arguments: ["123456789012", "0123"])
    func `a text may come from a variable that looks like a number`(_ value: String) throws {
        let loaded = try WorkspaceLoader.load(
            files: ["herald.yaml": settingsText + "sender_id: ${SENDER}\nlists: ${LISTS}\n"],
            environment: ["SENDER": value, "LISTS": "2026-12-01"])
        #expect(loaded.found == [])
        #expect(loaded.workspace?.settings.senderID == value)
        #expect(loaded.workspace?.settings.lists == "2026-12-01")
    }

    @Test func `variables stand for values of every type and for no keys`() throws {
        let loaded = try WorkspaceLoader.load(
            files: [
                "herald.yaml":
                    "herald: 1\nproject: ${P:-tide}\nfcm:\n  rate: ${RATE}\nguards:\n  max_recipients: ${LIMIT}\n"
                    + "ignore: [\"${NONE:-x}\"]\n"
            ], environment: Self.environment)
        #expect(loaded.found == [])
        let settings = try #require(loaded.workspace?.settings)
        #expect(settings.project == "tide")
        #expect(settings.fcm.rate == .limited(7))
        #expect(settings.guards.maxRecipients == 12)

        let marked = MarkedText(settingsText + "▸\"${STATE}\": x\n")
        let keyed = try WorkspaceLoader.load(files: ["herald.yaml": marked.text], environment: ["STATE": "state"])
        #expect(keyed.found == [Found(.unknownKey, "herald.yaml", marked.positions[0])])
    }

    @Test func `the state may be a path or say more`() throws {
        let long = "herald: 2\nproject: p\nstate: {file: \"${STATE}\", snapshot: snapshots/s.json}\n"
        let state = try WorkspaceLoader.load(files: ["herald.yaml": long], environment: Self.environment)
        #expect(state.found == [])
        #expect(state.workspace?.settings.state == .init(file: "s", snapshot: "snapshots/s.json"))
        let short = try WorkspaceLoader.load(files: ["herald.yaml": "herald: 2\nproject: p\nstate: s\n"])
        #expect(short.workspace?.settings.state == .init(file: "s"))
    }

    @Test func `the address of a database keeps its variables until it is read by its parts`() throws {
        let text =
            "herald: 2\nproject: p\nworkspace: w\nstate: {postgres: 'postgresql://a:${NOBODY}@/h', schema: '${STATE}'}\n"
        let loaded = try WorkspaceLoader.load(files: ["herald.yaml": text], environment: Self.environment)
        #expect(loaded.found == [])
        var expected = PostgresSettings(address: "postgresql://a:${NOBODY}@/h")
        expected.schema = "s"
        #expect(loaded.workspace?.settings.state.postgres == expected)
    }

    @Test func `other files have no variables`() throws {
        let loaded = try WorkspaceLoader.load(
            files: [
                "x.yaml":
                    "kind: campaign\nname: c\ntarget: {topic: t}\nowner: ${NONE}\nmessage: {notification: {title: x}, data: {a: '$'}}\n---\n"
                    + "kind: topic\nname: t\nsubscribers: []\n"
            ])
        #expect(loaded.found == [])
        #expect(loaded.workspace?.campaigns.first?.owner == "${NONE}")
    }

    @Test func `settings that are left out have their defaults`() throws {
        let settings = try #require(try WorkspaceLoader.load(files: [:]).workspace?.settings)
        #expect(settings.state.file == ".herald/state.sqlite")
        #expect(settings.fcm.rate == .limited(10_000))
        #expect(settings.fcm.subscriptionRate == .limited(3_000))
        #expect(settings.fcm.ramp == .seconds(60))
        #expect(settings.fcm.propagationDelay == .seconds(60))
        #expect(settings.fcm.timeout == .seconds(15))
        #expect(settings.fcm.endpoint == "https://fcm.googleapis.com")
        #expect(settings.guards.maxRecipients == 1_000_000)
        #expect(settings.guards.maxUnsubscribePercent == 30)
        #expect(settings.guards.maxForgetPercent == 10)
    }
}
