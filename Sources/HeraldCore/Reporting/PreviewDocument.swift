package import FCM

/// One campaign's preview as it is shown. What a phone shows comes first.
package struct PreviewDocument: Document {
    package var preview: Preview

    package init(_ preview: Preview) { self.preview = preview }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "schema": "herald.preview/1",
            "campaign": .string(preview.campaign),
            "occurrence": .string(preview.occurrence.rawValue),
            "target": preview.target.json,
            "at": .string(preview.at.rfc3339),
            "request_count": preview.requestCount.map { .int(Int64($0)) } ?? .null,
            "requests": .array(
                preview.requests.map {
                    [
                        "method": .string($0.method), "url": .string($0.url),
                        "headers": .object($0.headers.mapValues { .string($0) }), "body": $0.body,
                    ]
                }),
            "devices": .array(preview.devices.map(Self.device)),
            "warnings": .array(preview.warnings.map { .string($0) }),
        ]
        members["text"] = preview.text?.json
        return .object(members)
    }

    private static func device(_ device: DevicePayload) -> JSONValue {
        [
            "platform": .string(device.platform.rawValue),
            "headers": .object(device.headers),
            "payload": .object(device.payload),
            "payload_bytes": .int(Int64(device.size)),
            "shown": device.shown.map { .object($0.members) } ?? .null,
            "callback": .string(device.callbacks.foreground),
            "background_callback": device.callbacks.background.map { .string($0) } ?? .null,
            "terminated_callback": device.callbacks.terminated.map { .string($0) } ?? .null,
            "tap_callback": device.callbacks.tap.map { .string($0) } ?? .null,
            "warnings": .array(device.warnings.map { .string($0) }),
        ]
    }

    package func text(_ style: TextStyle) -> String {
        var text = style.bold("\(preview.occurrence)") + " to \(preview.target.words), as of \(preview.at.rfc3339)\n"
        if let shown = preview.text { text += shown.summary.printable + "\n" }
        for warning in preview.warnings { text += style.yellow("warning: \(warning)".printable) + "\n" }
        for device in preview.devices {
            text += "\n\(style.bold(device.platform.words))\n"
            text += Self.lines(device.screen, after: "  │ ")
            text += style.faint("  \(device.callbacks.words)".printable) + "\n"
            text += style.faint("  \(device.size.grouped) of \(DevicePayload.maximumSize.grouped) bytes") + "\n"
            for warning in device.warnings { text += "  " + style.yellow("warning: \(warning)".printable) + "\n" }
        }
        for request in preview.requests {
            text += "\n\(style.bold("The request"))\(preview.otherRequests)\n"
            text += Self.lines(["\(request.method) \(request.url)"])
            text += Self.lines(request.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })
            text += Self.lines(request.body)
        }
        for device in preview.devices {
            text += "\n\(style.bold("Payload: \(device.platform.words)"))\n"
            let headers = device.headers.sorted { $0.key < $1.key }
            text += Self.lines(headers.map { "\($0.key): \($0.value.string ?? "")" })
            text += Self.lines(.object(device.payload))
        }
        return text
    }

    /// Whole lines: who reviews a message sees all of it.
    private static func lines(_ texts: [String], after margin: String = "  ") -> String {
        texts.flatMap { $0.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" } }
            .map { "\(margin)\(String($0).visible)\n" }.joined()
    }

    private static func lines(_ value: JSONValue) -> String {
        lines(value.prettyText.split(separator: "\n").map(String.init))
    }
}

/// Several campaigns' previews.
package struct PreviewsDocument: Document {
    let previews: [PreviewDocument]

    package init(_ previews: [Preview]) { self.previews = previews.map { PreviewDocument($0) } }

    package var json: JSONValue { ["schema": "herald.previews/1", "previews": .array(previews.map(\.json))] }

    package func text(_ style: TextStyle) -> String { previews.map { $0.text(style) }.joined(separator: "\n\n") }
}

extension DevicePayload.Shown {
    fileprivate var members: [String: JSONValue] {
        ["title": title, "subtitle": subtitle, "body": body, "image": image].compactMapValues { $0.map { .string($0) } }
    }
}

extension DevicePayload {
    /// What a phone shows, one text after the other.
    fileprivate var screen: [String] {
        guard let shown else { return ["(nothing is shown)"] }
        let texts = [shown.title, shown.subtitle, shown.body].compactMap(\.self)
        return (texts.isEmpty ? ["(no text)"] : texts) + (shown.image.map { ["image: \($0)"] } ?? [])
    }
}

extension DevicePayload.Callbacks {
    var words: String {
        let taps = tap.map { ", when tapped \($0)" } ?? ""
        let ended = terminated == background ? "" : ", ended \(terminated ?? "nobody")"
        return "called: in front \(foreground), behind \(background ?? "nobody")\(ended)\(taps)"
    }
}

extension Platform {
    var words: String {
        switch self {
        case .ios: "iPhone and iPad"
        case .android: "Android"
        case .web: "Web"
        }
    }
}

extension Preview {
    /// What follows "The request": how many there are like it, if that is known.
    var otherRequests: String {
        guard let requestCount, requestCount > 1 else { return "" }
        return ", the first of \(requestCount.grouped)"
    }
}
