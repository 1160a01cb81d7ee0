import FCM

extension FaultMatch {
    init(reading reader: consuming FaultReader) throws(FaultScriptError) {
        service = try reader.choice("service")
        endpoint = try reader.choice("endpoint")
        registration = try reader.text("registration", "a registration")
        topic = try reader.text("topic", "a topic's name") { TopicName(rawValue: $0) != nil }
        every = try reader.number("every", in: 1...Int.max)
        first = try reader.number("first", in: 1...Int.max)
        after = try reader.number("after", in: 0...Int.max)
        probability = try reader.share("probability")
        let hasSeed = reader.has("seed")
        seed = try reader.number("seed", in: 0...Int.max).map(Int64.init) ?? 0
        try reader.finish()
        if hasSeed, probability == nil { throw reader.error(at: "seed", "means nothing without 'probability'") }
        if firstChoice == nil {
            throw FaultScriptError(reader.place, "'every', 'first' and 'after' together let no request through")
        }
        if endpoint != nil, service != .oauth {
            throw reader.error(at: "endpoint", "means nothing without 'service': 'oauth'")
        }
        if service == .oauth, registration != nil || topic != nil {
            throw FaultScriptError(reader.place, "a request to 'oauth' names no registration and no topic")
        }
        if service == .groups, topic != nil { throw reader.error(at: "topic", "a request to 'groups' names no topic") }
    }
}
