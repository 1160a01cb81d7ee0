package import FCM
import Synchronization

/// A sender that answers as a test tells it to, and keeps the requests.
package final class ScriptedSender: Sender {
    package let capacity: Int
    private let isPrompt: Bool
    private let answer: @Sendable (_ request: Request, _ number: Int) async -> Exchange
    private let log = Mutex<[Request]>([])

    /// - Parameters:
    ///   - isPrompt: whether requests that start together are answered together, before any time passes.
    ///   - answer: called with each request and its number, from 0.
    package init(
        capacity: Int = 8, isPrompt: Bool = false, answer: @escaping @Sendable (Request, Int) async -> Exchange
    ) {
        (self.capacity, self.isPrompt) = (capacity, isPrompt)
        self.answer = answer
    }

    /// Accepts everything.
    package convenience init(capacity: Int = 8) {
        self.init(capacity: capacity) { request, number in .accepted(request, number) }
    }

    package var requests: [Request] { log.withLock { $0 } }

    package func start(_ calls: [Call]) async {
        for call in calls {
            if isPrompt {
                call.answer(await exchange(call.request))
            } else {
                Task { call.answer(await exchange(call.request)) }
            }
        }
    }

    package func exchange(_ request: Request) async -> Exchange {
        let number = log.withLock { log in
            log.append(request)
            return log.count - 1
        }
        return await answer(request, number)
    }
}

extension Exchange {
    /// FCM's answer to a request that succeeds (REST reference: `projects.messages.send`, `topicSubscriptions.create`).
    package static func accepted(_ request: Request, _ number: Int = 0) -> Exchange {
        switch request {
        case .send: .json(200, #"{"name":"projects/p/messages/\#(number)"}"#)
        case .subscribe: .json(200, #"{"name":"projects/p/registrations/r/topicSubscriptions/t","topicName":"t"}"#)
        case .unsubscribe: .json(200, "{}")
        case .batch(_, _, let registrations):
            .json(200, #"{"results":[\#(registrations.map { _ in "{}" }.joined(separator: ","))]}"#)
        case .group: .json(200, #"{"notification_key":"APA91b-\#(number)"}"#)
        case .read: .json(200, "{}")
        }
    }

    package static func json(_ status: Int, _ body: String, retryAfter: String? = nil) -> Exchange {
        .response(Response(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
    }

    /// An error in Google's RPC format, with an `FcmError` if a code is given.
    package static func error(
        _ status: Int, _ word: String, fcm code: String? = nil, message: String = "m", retryAfter: String? = nil
    ) -> Exchange {
        let detail = code.map {
            #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#($0)"}"#
        }
        return .json(
            status,
            #"{"error":{"code":\#(status),"message":"\#(message)","status":"\#(word)","details":[\#(detail ?? "")]}}"#,
            retryAfter: retryAfter)
    }

    package static let unregistered = Exchange.error(
        404, "NOT_FOUND", fcm: "UNREGISTERED", message: "Requested entity was not found.")
}
