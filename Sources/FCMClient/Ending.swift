internal import FCM
internal import NIOHTTP1
internal import NIOHTTP2

/// How far an exchange got before it ended.
enum Progress: Hashable, Sendable, CaseIterable {
    /// Nothing was handed to a connection.
    case waiting
    /// Some of the request may have left this machine.
    case sent
    /// Some of the response came back.
    case answering
}

/// Why an exchange ended.
enum Ending: Hashable, Sendable {
    case answered(Response)
    case notConnected(ConnectError)
    /// The server said that it did not process the request: REFUSED_STREAM, or a stream above GOAWAY's last one.
    case refused
    case cut, reset, unreadable, tooLong
    /// Nothing came from the server, not even an answer to a PING.
    case silent
    case timedOut, cancelled, shutDown
    /// This process may not send any more.
    case barred

    /// Reads an error of the connection that carried the request.
    init(_ error: any Error) {
        self = error is HTTPParserError || error is any NIOHTTP2Error ? .unreadable : .cut
    }
}

extension Exchange {
    /// What the caller learns about an exchange that got as far as `progress`. In doubt, the request had its effect.
    init(_ ending: Ending, after progress: Progress) {
        self =
            switch (ending, progress) {
            case (.answered(let response), _): .response(response)
            case (.notConnected, .waiting), (.refused, .waiting), (.refused, .sent): .notSent(reason: ending.phrase)
            case (.refused, .answering): Exchange(.reset, after: progress)
            case (_, .waiting): .notSent(reason: "\(ending.phrase) before anything was sent")
            case (_, .sent): .lost(reason: "\(ending.phrase) after the request was sent")
            case (_, .answering): .lost(reason: "\(ending.phrase) in the middle of the response")
            }
    }
}

extension Ending {
    fileprivate var phrase: String {
        switch self {
        case .answered: "the response was complete"
        case .notConnected(let error): error.phrase
        case .refused: "the server refused the request without looking at it"
        case .cut: "the connection was closed"
        case .reset: "the server reset the stream"
        case .unreadable: "the server's answer was not HTTP"
        case .tooLong: "the response grew longer than 1 MiB"
        case .silent: "the connection fell silent"
        case .timedOut: "the time for the exchange ran out"
        case .cancelled: "the exchange was cancelled"
        case .shutDown: "the client was shut down"
        case .barred: "this run may not send any more"
        }
    }
}
