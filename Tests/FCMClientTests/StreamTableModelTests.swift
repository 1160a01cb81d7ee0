import FCM
import HeraldTestSupport
import NIOCore
import NIOHPACK
import NIOHTTP2
import Testing

@testable import FCMClient

/// Random sequences of what servers, timers and callers do to the streams of a connection. The result of each exchange
/// is checked against what the server said about it.
struct StreamTableModelTests {
    /// What the server said on one stream, or about it, before its exchange ended.
    private struct Story {
        let attempt: AttemptID
        var body: [UInt8] = []
        var status: Int?
        var isOpen = true
        /// The expected result. `nil` while the exchange goes on.
        var end: Exchange.Kind?

        var kindOfResponse: Exchange.Kind { status == nil ? .lost : .response }
        /// The expected result if the server says that it did not process the request.
        var kindOfRefusal: Exchange.Kind { status == nil ? .notSent : .lost }

        mutating func close(_ kind: Exchange.Kind) { if end == nil { end = kind } }
    }

    private struct Model {
        var table = StreamTable()
        var stories: [HTTP2StreamID: Story] = [:]
        var told: [AttemptID: Exchange] = [:]
        var limit = 50
        var isRetired = false
        var lastAttempt = 0
        var lastID: HTTP2StreamID = .rootStream

        mutating func tell(_ ended: [StreamTable.Ended?]) {
            for ended in ended.compactMap(\.self) {
                #expect(told.updateValue(ended.exchange, forKey: ended.attempt) == nil, "told twice")
            }
        }

        var openIDs: [HTTP2StreamID] { stories.filter(\.value.isOpen).keys.sorted() }
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `each exchange ends once, by what the server said`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var model = Model()
        for _ in 1...Int.random(in: 1...400, using: &random) { step(&model, using: &random) }
        for id in model.openIDs { model.stories[id]?.close(.lost) }
        model.tell(model.table.endAll(.cut))
        #expect(model.table.openStreams == 0)
        #expect(model.told.count == model.stories.count)
        for story in model.stories.values {
            let exchange = model.told[story.attempt]
            #expect(exchange?.kind == story.end, "seed \(seed), exchange \(story.attempt.rawValue)")
            guard story.end == .response else { continue }
            #expect(exchange?.response == story.status.map { Response(status: $0, body: story.body) }, "seed \(seed)")
        }
    }

    private func step(_ model: inout Model, using random: inout SeededRandom) {
        let id = model.openIDs.randomElement(using: &random) ?? 1
        switch Int.random(in: 0..<100, using: &random) {
        case ..<40: open(&model)
        case ..<60: receiveHead(&model, on: id, using: &random)
        case ..<80: receiveBody(&model, on: id, using: &random)
        case ..<84:
            let code: HTTP2ErrorCode = [.refusedStream, .noError, .cancel].randomElement(using: &random) ?? .cancel
            let kind = code == .refusedStream ? model.stories[id]?.kindOfRefusal : nil
            model.stories[id]?.close(kind ?? .lost)
            model.tell([model.table.receiveReset(code, on: id)])
            closed(&model, id)
        case ..<88:
            if let attempt = model.stories[id]?.attempt {
                model.stories[id]?.close(.lost)
                model.tell([model.table.giveUp(attempt, for: .timedOut)])
            }
        case ..<94: takeLeftOver(&model)
        case ..<97:
            model.limit = Int.random(in: 0...20, using: &random)
            model.table.allow(model.limit)
        case ..<99:
            model.stories[id]?.close(.lost)
            closed(&model, id)
        default:
            let last = HTTP2StreamID(Int.random(in: 0...(2 * model.lastAttempt + 3), using: &random))
            model.isRetired = true
            for id in model.openIDs where id > last {
                let kind = model.stories[id]?.kindOfRefusal
                model.stories[id]?.close(kind ?? .lost)
            }
            model.tell(model.table.receiveGoAway(last: last))
            for id in model.openIDs where id > last { closed(&model, id) }
        }
        #expect(model.table.openStreams == model.openIDs.count)
        #expect(model.table.isBusy == model.stories.values.contains { $0.end == nil })
    }

    private func open(_ model: inout Model) {
        let attempt = AttemptID(rawValue: model.lastAttempt + 1)
        let mayOpen = !model.isRetired && model.openIDs.count < model.limit
        guard let id = model.table.open(attempt) else {
            #expect(!mayOpen)
            return
        }
        #expect(mayOpen)
        #expect(id.isClientInitiated && id > model.lastID)
        model.lastAttempt += 1
        model.lastID = id
        model.stories[id] = Story(attempt: attempt)
    }

    private func receiveHead(_ model: inout Model, on id: HTTP2StreamID, using random: inout SeededRandom) {
        let status = [100, 200, 404, 503].randomElement(using: &random) ?? 200
        let isLast = Bool.random(using: &random)
        if var story = model.stories[id], story.isOpen, story.end == nil {
            if story.status != nil {
                // A second head is not valid HTTP.
                story.close(.lost)
            } else if status >= 200 {
                story.status = status
            }
            if isLast { story.close(story.kindOfResponse) }
            model.stories[id] = story
        }
        model.tell([model.table.receive([":status": "\(status)"], isLast: isLast, on: id)])
    }

    private func receiveBody(_ model: inout Model, on id: HTTP2StreamID, using random: inout SeededRandom) {
        let bytes = (0..<Int.random(in: 0...9, using: &random)).map { UInt8($0) }
        let isLast = Bool.random(using: &random)
        if var story = model.stories[id], story.isOpen, story.end == nil {
            if story.status != nil { story.body += bytes }
            if isLast { story.close(story.kindOfResponse) }
            model.stories[id] = story
        }
        model.tell([model.table.receive(ByteBuffer(bytes: bytes), isLast: isLast, on: id)])
    }

    private func takeLeftOver(_ model: inout Model) {
        let expected = model.openIDs.filter { model.stories[$0]?.end != nil }
        #expect(model.table.takeLeftOver().sorted() == expected)
        for id in expected { model.stories[id]?.isOpen = false }
    }

    private func closed(_ model: inout Model, _ id: HTTP2StreamID) {
        model.tell([model.table.receiveClosed(id)])
        model.stories[id]?.isOpen = false
    }
}
