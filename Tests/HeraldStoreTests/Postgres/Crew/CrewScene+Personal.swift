import FCM
import HeraldTestSupport

@testable import HeraldCore
@testable import HeraldStore

/// A personal campaign for a scene: two languages, two variants and a holdout.
extension CrewScene {
    static func personal(_ recipients: Int) async throws -> CrewScene {
        var scene = try await CrewScene(recipients)
        var content = PersonalContent(
            message: [
                "notification": ["title": "Hi {{ name | default: 'you' }}", "body": "{{ points }} points"],
                "data": ["points": "{{ points }}"],
            ], fields: [Field(name: "name"), Field(name: "points", kind: .integer)], seed: "tide#1")
        content.defaultLocale = "en"
        content.locales = ["it": ["notification": ["body": "{{ points }} punti"]]]
        content.variants = [
            .init(name: "a", weight: 1), .init(name: "b", weight: 3, message: ["data": ["variant": "b"]]),
            .init(name: "none", weight: 1, isHoldout: true),
        ]
        scene.content = MessageContent(try PersonalMessages(content))
        for id in 1...RecipientID(recipients) { scene.partakers.move([id], to: text(of: id)) }
        scene.rows = { Dictionary(uniqueKeysWithValues: $0.map { ($0, row(of: $0)) }) }
        return scene
    }

    static func text(of id: RecipientID) -> MessageClass {
        let variant = id % 10 == 0 ? "none" : id % 2 == 0 ? "a" : "b"
        return MessageClass(locale: id % 3 == 0 ? "it" : nil, variant: variant, isHoldout: variant == "none")
    }

    static func row(of id: RecipientID) -> FieldValues {
        FieldValues([id % 7 == 0 ? nil : "Zoë \"\(id)\"", "\(1000 * id)"])
    }

    /// What each registration was sent.
    var messages: [Registration: [UInt8]] {
        Dictionary(log.arrivals.map { ($0.registration, $0.body) }) { first, _ in first }
    }

    func sql(_ text: String) async throws {
        let store = try await PostgresStore.open(server)
        _ = try await store.writing(under: nil) { $0.run(text) }
    }
}
