import FCM
import NIOCore
import NIOHPACK
import NIOHTTP2
import Testing

@testable import FCMClient

/// What each event does to a stream, depending on how far its exchange got.
struct StreamTableTests {
    private var table = StreamTable()

    /// Opens stream 1 for exchange 1. With `answering`, the response begins as well.
    private mutating func open(_ progress: Progress) throws {
        try #require(table.open(1) == 1)
        guard progress == .answering else { return }
        #expect(table.receive([":status": "200", "retry-after": "7"], isLast: false, on: 1) == nil)
        #expect(table.receive(ByteBuffer(string: "ye"), isLast: false, on: 1) == nil)
    }

    @Test mutating func `numbers streams with odd numbers, ascending`() {
        #expect((1...4).map { table.open(AttemptID(rawValue: $0)) } == [1, 3, 5, 7])
    }

    @Test(arguments: [0, 1, 49, 50, 51, 1000])
    mutating func `opens as many streams as the server allows, and never more than fifty`(_ limit: Int) {
        table.allow(limit)
        for number in 1...2000 { _ = table.open(AttemptID(rawValue: number)) }
        #expect(table.openStreams == min(limit, 50))
    }

    @Test mutating func `opens no stream while more are open than the server allows by now`() {
        for number in 1...3 { _ = table.open(AttemptID(rawValue: number)) }
        table.allow(2)
        _ = table.receiveClosed(1)
        #expect(table.open(4) == nil)
        _ = table.receiveClosed(3)
        #expect(table.open(4) == 7)
    }

    @Test func `is retired when the numbers run out`() {
        var table = StreamTable(firstID: HTTP2StreamID(Int(Int32.max) - 2))
        #expect(table.open(1) == HTTP2StreamID(Int(Int32.max) - 2))
        #expect(!table.isRetired)
        #expect(table.open(2) == .maxID)
        #expect(table.isRetired)
        #expect(table.open(3) == nil)
        #expect(table.receive([":status": "204"], isLast: true, on: .maxID)?.attempt == 2)
    }

    @Test mutating func `puts a response together`() throws {
        try open(.answering)
        let response = Response(status: 200, retryAfter: "7", body: Array("yes".utf8))
        #expect(
            table.receive(ByteBuffer(string: "s"), isLast: true, on: 1)
                == StreamTable.Ended(attempt: 1, exchange: .response(response)))
    }

    @Test mutating func `keeps an error's date, and no other`() throws {
        try open(.sent)
        _ = table.open(2)
        let ended = table.receive([":status": "503", "date": "then"], isLast: true, on: 1)
        #expect(ended?.exchange == .response(Response(status: 503, date: "then")))
        let other = table.receive([":status": "200", "date": "then"], isLast: true, on: 3)
        #expect(other?.exchange == .response(Response(status: 200)))
    }

    @Test mutating func `looks past informational responses and trailers`() throws {
        try open(.sent)
        #expect(table.receive([":status": "103", "retry-after": "1"], isLast: false, on: 1) == nil)
        #expect(table.receive([":status": "200"], isLast: false, on: 1) == nil)
        let ended = table.receive(["grpc-status": "0"], isLast: true, on: 1)
        #expect(ended?.exchange == .response(Response(status: 200)))
    }

    @Test(arguments: [
        [HPACKHeaders()], [["server": "x"]], [[":status": "abc"]], [[":status": "99"]], [[":status": "1000"]],
        [[":status": "100"]], [[":status": "103"], [":status": ""]],
    ])
    mutating func `what is no response is unknown`(_ heads: [HPACKHeaders]) throws {
        try open(.sent)
        let ended = heads.compactMap { table.receive($0, isLast: $0 == heads.last, on: 1) }
        #expect(ended.map(\.exchange) == [.lost(reason: "the server's answer was not HTTP after the request was sent")])
    }

    @Test mutating func `keeps a mebibyte and no byte more`() throws {
        try open(.sent)
        _ = table.open(2)
        for stream in [1, 3] as [HTTP2StreamID] {
            _ = table.receive([":status": "200"], isLast: false, on: stream)
            let most = ByteBuffer(repeating: 0x61, count: ResponseReader.longestBody)
            #expect(table.receive(most, isLast: false, on: stream) == nil)
        }
        #expect(table.receive(ByteBuffer(), isLast: true, on: 1)?.exchange.kind == .response)
        #expect(table.receive(ByteBuffer(string: "a"), isLast: true, on: 3)?.exchange.kind == .lost)
    }

    @Test(arguments: [
        (HTTP2ErrorCode.refusedStream, Progress.sent, Exchange.Kind.notSent),
        (.refusedStream, .answering, .lost),
        (.noError, .sent, .lost), (.noError, .answering, .lost),
        (.cancel, .sent, .lost), (.internalError, .answering, .lost), (.enhanceYourCalm, .sent, .lost),
    ])
    mutating func `only a stream that was refused was not sent`(
        _ code: HTTP2ErrorCode, _ progress: Progress, _ kind: Exchange.Kind
    ) throws {
        try open(progress)
        #expect(table.receiveReset(code, on: 1)?.exchange.kind == kind)
        #expect(table.receiveClosed(1) == nil)
        #expect(table.openStreams == 0)
    }

    @Test(arguments: [
        (HTTP2StreamID(0), Progress.sent, Exchange.Kind?.some(.notSent)), (0, .answering, .lost),
        (1, .sent, nil), (1, .answering, nil), (.maxID, .sent, nil),
    ])
    mutating func `GOAWAY ends the streams above its last, and lets the others go on`(
        _ last: HTTP2StreamID, _ progress: Progress, _ kind: Exchange.Kind?
    ) throws {
        try open(progress)
        #expect(table.receiveGoAway(last: last).map(\.exchange.kind) == [kind].compactMap(\.self))
        #expect(table.open(2) == nil)
        if kind == nil {
            if progress == .sent { _ = table.receive([":status": "200"], isLast: false, on: 1) }
            #expect(table.receive(ByteBuffer(), isLast: true, on: 1)?.exchange.kind == .response)
        }
        #expect(table.receiveGoAway(last: 0) == [])
    }

    @Test(arguments: [Ending.timedOut, .cancelled], [Progress.sent, .answering])
    mutating func `an exchange that is given up is unknown, and its stream is left over`(
        _ ending: Ending, _ progress: Progress
    ) throws {
        try open(progress)
        #expect(table.giveUp(1, for: ending)?.exchange == Exchange(ending, after: progress))
        #expect(table.giveUp(1, for: ending) == nil)
        #expect(!table.isBusy)
        #expect(table.takeLeftOver() == [1])
        #expect(table.takeLeftOver() == [])
        #expect(table.takeClosed() == 1)
    }

    @Test mutating func `late frames of a stream that was given up are nothing to anybody`() throws {
        try open(.sent)
        _ = table.giveUp(1, for: .timedOut)
        _ = table.takeLeftOver()
        #expect(table.receive([":status": "200"], isLast: false, on: 1) == nil)
        #expect(table.receive(ByteBuffer(string: "x"), isLast: true, on: 1) == nil)
        #expect(table.receiveReset(.cancel, on: 1) == nil)
        #expect(table.receiveClosed(1) == nil)
        #expect(table.takeClosed() == 1)
    }

    @Test mutating func `a stream that was answered before its request was read is left over`() throws {
        try open(.sent)
        #expect(table.receive([":status": "413"], isLast: true, on: 1)?.exchange.kind == .response)
        #expect(table.takeClosed() == 0)
        #expect(table.takeLeftOver() == [1])
        #expect(table.takeClosed() == 1)
    }

    @Test mutating func `a stream that closes with its answer is not left over`() throws {
        try open(.sent)
        #expect(table.receive([":status": "200"], isLast: true, on: 1)?.exchange.kind == .response)
        #expect(table.receiveClosed(1) == nil)
        #expect(table.takeLeftOver() == [])
        #expect(table.takeClosed() == 1)
        #expect(table.takeClosed() == 0)
    }

    @Test(arguments: [Progress.sent, .answering])
    mutating func `a stream that NIO closes for a breach of the protocol is unknown`(
        _ progress: Progress
    ) throws {
        try open(progress)
        #expect(table.receiveClosed(1)?.exchange == Exchange(.unreadable, after: progress))
    }

    @Test(arguments: [Ending.cut, .silent, .shutDown])
    mutating func `with its connection every exchange ends, and none begins`(_ ending: Ending) throws {
        try open(.answering)
        _ = table.open(2)
        #expect(
            table.endAll(ending) == [
                StreamTable.Ended(attempt: 1, exchange: Exchange(ending, after: .answering)),
                StreamTable.Ended(attempt: 2, exchange: Exchange(ending, after: .sent)),
            ])
        #expect(table.endAll(ending) == [])
        #expect(table.open(3) == nil)
        #expect(table.openStreams == 0)
    }

    @Test mutating func `is busy while an exchange waits for its response`() throws {
        #expect(!table.isBusy)
        try open(.answering)
        #expect(table.isBusy)
        _ = table.receive(ByteBuffer(), isLast: true, on: 1)
        #expect(!table.isBusy)
    }
}
