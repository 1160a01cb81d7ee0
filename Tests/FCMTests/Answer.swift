import FCM
import Testing

/// What an answer must mean, in the words of docs/reference/outcomes.md#outcomes-and-retries.
enum Meaning: Equatable, Sendable {
    case accepted(String?), preexisting, dead, rejected, unknown, unauthenticated, unavailable, stop
    case again(Verdict.Repeat.Effect)

    init(_ verdict: Verdict) {
        switch verdict {
        case .accepted(let id): self = .accepted(id)
        case .preexisting: self = .preexisting
        case .dead: self = .dead
        case .rejected: self = .rejected
        case .again(_, let terms): self = .again(terms.effect)
        case .unknown: self = .unknown
        case .unauthenticated: self = .unauthenticated
        case .unavailable: self = .unavailable
        case .stop: self = .stop
        }
    }
}

extension Verdict {
    var failure: Failure? {
        switch self {
        case .accepted, .preexisting: nil
        case .dead(let failure), .rejected(let failure), .again(let failure, _), .unknown(let failure),
            .unauthenticated(let failure), .unavailable(let failure), .stop(let failure):
            failure
        }
    }

    var terms: Repeat? { if case .again(_, let terms) = self { terms } else { nil } }
}

/// An answer of FCM's with what it must mean.
struct Answer: Sendable, CustomTestStringConvertible {
    var name: String
    var status: Int
    var body: String
    var means: Meaning
    /// The code that the failure must carry.
    var code: String

    init(_ name: String, _ status: Int, _ body: String, _ means: Meaning, code: String = "") {
        (self.name, self.status, self.body, self.means, self.code) = (name, status, body, means, code)
    }

    var testDescription: String { "\(status) \(name)" }
    var exchange: Exchange { .response(Response(status: status, body: Array(body.utf8))) }
}

func fcm(_ status: String, _ code: String, _ message: String = "m", also detail: String = "") -> String {
    """
    {"error":{"code":400,"message":"\(message)","status":"\(status)","details":[
      {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\(code)"}\(detail)]}}
    """
}

func rpc(_ status: String, _ message: String = "m", detail: String = "") -> String {
    #"{"error":{"code":400,"message":"\#(message)","status":"\#(status)","details":[\#(detail)]}}"#
}

func violations(_ fields: String...) -> String {
    let list = fields.map { #"{"field":"\#($0)","description":"d"}"# }.joined(separator: ",")
    return #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[\#(list)]}"#
}

func apns(_ status: Int, _ reason: String) -> String {
    #",{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":\#(status),"reason":"\#(reason)"}"#
}

let html = "<!DOCTYPE html><html><title>Error 404 (Not Found)!!1</title></html>"
