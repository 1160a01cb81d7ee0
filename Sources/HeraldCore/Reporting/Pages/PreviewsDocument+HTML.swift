internal import FCM

/// Previews as a page: what people see, and beside it what devices and FCM get.
extension PreviewsDocument {
    package var html: String { page() }

    /// `/reload.js` of a server that gives a page with a version. The current version is at its `/version`.
    package static let reloadingScript = String(decoding: PackageResources.reload_js, as: UTF8.self)

    /// - Parameters:
    ///   - version: With it, the page loads itself again once the server has another version.
    ///   - mistakes: Shown in place of previews that cannot be made.
    package func page(version: String? = nil, mistakes: String? = nil) -> String {
        let all = previews.enumerated().map { Self.values($1.preview, $0 + 1) }
        let campaigns = Set(previews.map(\.preview.campaign))
        let heading = campaigns.count == 1 ? previews[0].preview.campaign : count(campaigns.count, "campaign")
        return Page.preview.rendered([
            "title": .string("herald preview: \(heading)"), "heading": .string(heading),
            "contents": all.count > 1 ? ["entries": .array(all)] : .null,
            "beside": .section("campaigns", beside),
            "previews": .array(all),
            "mistakes": mistakes.map { .string($0) } ?? .null,
            "version": version.map { .string($0) } ?? .null,
        ])
    }

    /// The texts of each personal campaign side by side, by platform.
    private var beside: [JSONValue] {
        let names = previews.map(\.preview.campaign).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        return names.compactMap { name in
            let texts = previews.map(\.preview).filter { $0.campaign == name }
            guard texts.count > 1 else { return nil }
            let platforms = Platform.allCases.compactMap { Self.beside(texts, on: $0) }
            return ["campaign": .string(name), "platforms": .array(platforms)]
        }
    }

    private static func beside(_ texts: [Preview], on platform: Platform) -> JSONValue? {
        let shown = texts.compactMap { preview in
            preview.devices.first { $0.platform == platform }.map { (preview.text?.words ?? "", $0) }
        }
        guard !shown.isEmpty else { return nil }
        let entries: [JSONValue] = shown.map { words, device in
            let mocks = NotificationMock.all(for: device)
            return ["text": .string(words), "silent": .bool(mocks.isEmpty), "mocks": .array(mocks.map(\.values))]
        }
        return ["name": .string(platform.words), "texts": .array(entries)]
    }

    private static func values(_ preview: Preview, _ number: Int) -> JSONValue {
        var facts = [
            ("occurrence", preview.occurrence.rawValue), ("to", preview.target.words), ("as of", preview.at.rfc3339),
            ("requests", preview.requestCount?.grouped ?? "not counted, since lists were not read"),
        ]
        if let text = preview.text { facts.append(("filled with", text.filling)) }
        let heading = preview.campaign + (preview.text.map { ": \($0.words)" } ?? "")
        return [
            "number": .int(Int64(number)), "campaign": .string(heading), "facts": .facts(facts),
            "warnings": .array(preview.warnings.map { .string($0) }),
            "platforms": .array(preview.devices.map { device($0, isForTopics: !preview.target.topics.isEmpty) }),
            "requests": .array(preview.requests.map { request($0, preview.otherRequests) }),
        ]
    }

    private static func device(_ device: DevicePayload, isForTopics: Bool) -> JSONValue {
        let mocks = NotificationMock.all(for: device)
        let limit = DevicePayload.maximumSize
        let room = limit - device.size
        var words = room < 0 ? "\((-room).grouped) bytes too many for FCM." : "\(room.grouped) bytes are left."
        if isForTopics { words += " By one of FCM's pages a message to topics has at most 2,048." }
        let isTight = room < 0 || (isForTopics && device.size > 2048)
        let headers = device.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.string ?? "")\n" }.joined()
        let bar = Bar(name: "", length: Double(device.size), figure: "").values(of: Double(limit))
        return [
            "name": .string(device.platform.words), "silent": .bool(mocks.isEmpty),
            "mocks": .array(mocks.map(\.values)),
            "warnings": .array(device.warnings.map { .string($0) }),
            "length": bar["length"] ?? .null, "tone": isTight ? "bad" : "good",
            "bytes": .string("\(device.size.grouped) of \(limit.grouped) bytes"), "room": .string(words),
            "called": .string(device.callbacks.words),
            "received": .string(headers + JSONValue.object(device.payload).prettyText),
        ]
    }

    private static func request(_ request: Preview.ShownRequest, _ others: String) -> JSONValue {
        let headers = request.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined()
        return [
            "which": .string(others),
            "text": .string("\(request.method) \(request.url)\n\(headers)\n\(request.body.prettyText)"),
        ]
    }
}
