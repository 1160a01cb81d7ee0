import FCM

/// What goes back over the connection.
struct Answer: Sendable {
    var status = 200
    var contentType = "application/json; charset=UTF-8"
    /// Beside the content's type.
    var headers: [(name: String, value: String)] = []
    /// The body in pieces, so that a long log is not copied into one.
    var body: [[UInt8]]
    var ending = Ending.open

    /// What becomes of the connection.
    enum Ending: Hashable, Sendable {
        case open
        /// The answer is the last on it: `GOAWAY` over HTTP/2, else `Connection: close`.
        case goingAway
        /// It is cut in the middle of the body.
        case cut
        /// It is cut instead of an answer.
        case unanswered
    }
}

/// An error that can be told to whoever called.
protocol AnswerableError: Error {
    var answer: Answer { get }
}

extension Answer {
    static func json(_ value: JSONValue, status: Int = 200) -> Answer {
        do {
            return Answer(status: status, body: [try value.bytes(pretty: true)])
        } catch {
            // Foundation's encoder refuses numbers that are none, which no parsed document holds.
            return Answer(status: 500, body: [Array(#"{"error":{"code":500,"status":"INTERNAL"}}"#.utf8)])
        }
    }

    static func lines(_ log: LineLog) -> Answer {
        Answer(contentType: "application/x-ndjson; charset=UTF-8", body: log.chunks)
    }

    /// The page with which Google's front end answers a path or a method that it does not know.
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
