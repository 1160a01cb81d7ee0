import FCM

/// What is sent back to the client.
struct Answer: Sendable {
    var status = 200
    var contentType = "application/json; charset=UTF-8"
    /// The headers besides the content type.
    var headers: [(name: String, value: String)] = []
    /// The body in pieces, so that a long log does not have to be copied.
    var body: [[UInt8]]
    var ending = Ending.open

    /// What happens to the connection.
    enum Ending: Hashable, Sendable {
        case open
        /// The connection ends after this answer: `GOAWAY` over HTTP/2, `Connection: close` over HTTP/1.1.
        case goingAway
        /// The connection is cut in the middle of the body.
        case cut
        /// The connection is cut without an answer.
        case unanswered
    }
}

/// An error that the caller can be told.
protocol AnswerableError: Error {
    var answer: Answer { get }
}

extension Answer {
    static func json(_ value: JSONValue, status: Int = 200) -> Answer {
        do {
            return Answer(status: status, body: [try value.bytes(pretty: true)])
        } catch {
            // Foundation's encoder refuses NaN and infinity, and parsed documents hold neither.
            return Answer(status: 500, body: [Array(#"{"error":{"code":500,"status":"INTERNAL"}}"#.utf8)])
        }
    }

    static func lines(_ log: LineLog) -> Answer {
        Answer(contentType: "application/x-ndjson; charset=UTF-8", body: log.chunks)
    }

    /// The page with which Google's front end answers an unknown path or method.
    static func pageNotFound(_ target: String) -> Answer {
        let path = target.prefix { $0 != "?" }
        let page = """
            <!DOCTYPE html>
            <html lang=en>
            <meta charset=utf-8>
            <title>Error 404 (Not Found)!!1</title>
            <p><b>404.</b> <ins>That’s an error.</ins>
            <p>The requested URL <code>\(String(path).escapedForMarkup)</code> was not found on this server. \
            <ins>That’s all we know.</ins>

            """
        return Answer(status: 404, contentType: "text/html; charset=UTF-8", body: [Array(page.utf8)])
    }
}
