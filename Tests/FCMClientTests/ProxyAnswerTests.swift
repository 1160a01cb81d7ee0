import HeraldTestSupport
import Testing

@testable import FCMClient

struct ProxyAnswerTests {
    /// Reads a text in one piece and byte by byte. Both must give the same.
    private func read(_ text: String) -> ProxyAnswer.Reading {
        var whole = ProxyAnswer()
        let reading = whole.read(text.utf8)
        var single = ProxyAnswer()
        var last = ProxyAnswer.Reading.more
        for byte in text.utf8 where last == .more { last = single.read([byte]) }
        // Bytes behind the head of a tunnel come too late to be seen one by one.
        if reading != .unreadable { #expect(last == reading) }
        return reading
    }

    @Test(arguments: [
        ("HTTP/1.1 200 Connection established\r\n\r\n", ProxyAnswer.Reading.tunnel),
        ("HTTP/1.0 200\r\nVia: a\r\n\r\n", .tunnel), ("HTTP/1.1 204 \r\n\r\n", .tunnel),
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n<html>",
            .refused(status: 407)
        ),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", .refused(status: 502)), ("HTTP/1.1 302 x\r\n\r\n", .refused(status: 302)),
        ("HTTP/1.1 200 OK\r\n", .more), ("", .more), ("HTTP/1.1 200 OK\r\n\r\nSSH-2.0", .unreadable),
        ("SSH-2.0-OpenSSH\r\n\r\n", .unreadable), ("HTTP/2 200\r\n\r\n", .unreadable),
        ("HTTP/1.1 100 Continue\r\n\r\n", .unreadable), ("HTTP/1.1 2000\r\n\r\n", .unreadable),
        ("HTTP/1.1 +20 x\r\n\r\n", .unreadable), ("\r\n\r\n", .unreadable), ("HTTP/1.1\r\n\r\n", .unreadable),
    ])
    func `an answer is a tunnel, a refusal or nothing of a proxy's`(_ text: String, _ reading: ProxyAnswer.Reading) {
        #expect(read(text) == reading)
    }

    @Test func `a head without an end is not read for ever`() {
        var answer = ProxyAnswer()
        #expect(answer.read(Array(repeating: 0x61, count: ProxyAnswer.longestHead)) == .more)
        #expect(answer.read([0x61]) == .unreadable)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `no answer ends the process`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 1...200 {
            var answer = ProxyAnswer()
            var text = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
            for _ in 1...3 {
                text[Int.random(in: text.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = answer.read(text)
        }
    }
}
