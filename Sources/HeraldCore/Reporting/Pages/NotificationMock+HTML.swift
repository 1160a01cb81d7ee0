internal import FCM

extension NotificationMock {
    /// As its template takes it.
    var values: JSONValue {
        let texts = [("title", title), ("subtitle", subtitle), ("body", body)].compactMap { role, text in
            text.map { Self.text($0, role: role) }
        }
        return [
            "surface": .string(surface.rawValue), "place": .string(surface.words), "texts": .array(texts),
            "picture": picture.map {
                ["address": .string($0.address), "size": .string($0.size.rawValue)]
            } ?? .null,
            "buttons": .section("titles", buttons.map { Self.text($0, role: "button") }),
            "notes": .array(notes.map { .string($0) }),
        ]
    }

    private static func text(_ text: FittedText, role: String) -> JSONValue {
        [
            "role": .string(role), "direction": .string(text.direction.rawValue),
            "lines": .array(text.lines.map { .string($0) }),
        ]
    }
}
