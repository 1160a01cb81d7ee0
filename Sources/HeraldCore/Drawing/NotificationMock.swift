package import FCM

/// A notification as one platform draws it in one place, cut where that platform cuts.
package struct NotificationMock: Hashable, Sendable {
    package var surface: NotificationSurface
    package var title: FittedText?
    package var subtitle: FittedText?
    package var body: FittedText?
    package var picture: Picture?
    package var buttons: [FittedText] = []
    /// What a person should know about this drawing.
    package var notes: [String] = []

    /// A picture is named, and never loaded.
    package struct Picture: Hashable, Sendable {
        package enum Size: String, Hashable, Sendable { case thumbnail, large }

        package var address: String
        package var size: Size
    }

    /// - Returns: `nil` if the message shows nothing on that platform.
    init?(of device: DevicePayload, on surface: NotificationSurface) {
        guard surface.platform == device.platform, let shown = device.shown else { return nil }
        self.surface = surface
        title = shown.title.map(surface.title.fit)
        subtitle = shown.subtitle.map(surface.subtitle.fit)
        body = shown.body.map(surface.body(besidePicture: shown.image != nil).fit)
        picture = shown.image.map { Picture(address: $0, size: surface.picture) }
        let titles = device.buttonTitles
        buttons = titles.prefix(surface.buttons).map(NotificationSurface.button.fit)
        notes = notes(on: device, buttonsLeftOut: titles.count - buttons.count)
    }

    /// Everything that a message looks like, in the order of ``NotificationSurface/allCases``.
    package static func all(for device: DevicePayload) -> [NotificationMock] {
        NotificationSurface.allCases.compactMap { NotificationMock(of: device, on: $0) }
    }

    /// What a v1 message looks like on each platform.
    package static func all(for message: [String: JSONValue]) -> [NotificationMock] {
        Platform.allCases.flatMap { all(for: DevicePayload(of: message, on: $0, stamp: .unstamped)) }
    }

    private func notes(on device: DevicePayload, buttonsLeftOut: Int) -> [String] {
        var notes: [String] = []
        for (name, text) in [("title", title), ("subtitle", subtitle), ("body", body)] {
            guard let text, text.isCut else { continue }
            notes.append("the \(name) is cut: \(count(text.hidden, "character")) do not fit")
        }
        if buttonsLeftOut > 0 { notes.append("\(count(buttonsLeftOut, "more button")) not shown") }
        if let category = device.appleCategory {
            notes.append("the app decides which buttons the category '\(category)' has")
        }
        return notes
    }
}

extension NotificationMock {
    private static let address = TextFrame(lines: 1, columns: 100)

    /// The drawing as plain lines, each safe to print. They may contain any printable character: whoever puts them into
    /// Markdown uses a fence that none of them contains.
    package var textLines: [String] {
        var lines: [String] = []
        for text in [title, subtitle, body] { lines += text?.lines ?? [] }
        if lines.isEmpty { lines.append("(no text)") }
        if let picture { lines.append("[picture: \(Self.address.fit(picture.address).lines.joined())]") }
        if !buttons.isEmpty { lines.append(buttons.map { "[\($0.lines.joined())]" }.joined(separator: " ")) }
        return [surface.words] + lines.map { "│ \($0.visible)".trimmed } + notes.map { "  \($0.visible)" }
    }
}

extension DevicePayload {
    /// The titles of the buttons that a web notification asks for.
    fileprivate var buttonTitles: [String] {
        guard platform == .web else { return [] }
        return (payload["notification"]?["actions"]?.array ?? []).compactMap { $0["title"]?.string }
    }

    fileprivate var appleCategory: String? { platform == .ios ? payload["aps"]?["category"]?.string : nil }
}

extension DevicePayload.Stamp {
    /// For what does not depend on when FCM accepts a message, and for whom.
    static let unstamped = Self(
        messageID: "", installation: "", sender: "", secondsSince1970: 0)
}

extension String {
    fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
