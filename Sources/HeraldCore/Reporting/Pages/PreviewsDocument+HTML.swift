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
        let heading = previews.count == 1 ? previews[0].preview.campaign : count(previews.count, "campaign")
        return Page.preview.rendered([
            "title": .string("herald preview: \(heading)"), "heading": .string(heading),
            "contents": all.count > 1 ? ["entries": .array(all)] : .null,
            "previews": .array(all),
            "mistakes": mistakes.map { .string($0) } ?? .null,
            "version": version.map { .string($0) } ?? .null,
        ])
    }

    private static func values(_ preview: Preview, _ number: Int) -> JSONValue {
        let facts = [
            ("occurrence", preview.occurrence.rawValue), ("to", preview.target.words), ("as of", preview.at.rfc3339),
            ("requests", preview.requestCount.grouped),
        ]
        return [
            "number": .int(Int64(number)), "campaign": .string(preview.campaign), "facts": .facts(facts),
            "warnings": .array(preview.warnings.map { .string($0) }),
            "platforms": .array(preview.devices.map { device($0, isForTopics: !preview.target.topics.isEmpty) }),
            "requests": .array(preview.requests.map { request($0, of: preview.requestCount) }),
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

    private static func request(_ request: Preview.ShownRequest, of count: Int) -> JSONValue {
        let headers = request.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined()
        return [
            "which": .string(count > 1 ? ", the first of \(count.grouped)" : ""),
            "text": .string("\(request.method) \(request.url)\n\(headers)\n\(request.body.prettyText)"),
        ]
    }
}
