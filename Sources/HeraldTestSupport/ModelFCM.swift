package import FCM
import Synchronization

/// FCM as its documentation describes it, in memory: topics and their subscribers, groups and their members, dead
/// registrations, and accepted messages. Faults can happen between the caller and the model.
package final class ModelFCM: TaskSender {
    /// What happens to one request on its way.
    package enum Fault: Sendable {
        /// The request arrives and takes effect, but the answer is lost.
        case loseAnswer
        /// The request arrives and takes effect, but a server on the way answers.
        case replaceAnswer(Exchange)
        /// The request does not arrive, and the caller gets no answer.
        case loseRequest
        /// Something else answers, and the request has no effect.
        case answer(Exchange)
    }

    /// A message that was accepted.
    package struct Push: Hashable, Sendable {
        package var target: String
        package var title: String
    }

    /// A message that was accepted, and the devices that got it.
    package struct Arrival: Sendable {
        /// The number of the request.
        package var call: Int
        package var push: Push
        package var devices: [Registration]
    }

    package struct State: Sendable {
        /// Registrations that apps made (`register`). Conditions match them, even if they follow no topic.
        package private(set) var registered: Set<Registration> = []
        package var arrivals: [Arrival] = []
        package var topics: [TopicName: Set<Registration>] = [:]
        package var groups: [GroupName: Set<Registration>] = [:]
        package var dead: Set<Registration> = []
        package var pushes: [Push] = []
        /// The size of each group after each change, and how many requests there were.
        package var groupSizes: [Int] = []
        package var calls: [Request] = []
        /// Groups by key. Every key that was ever given stays valid.
        fileprivate var keys: [String: GroupName] = [:]
        /// Whether the project has the topic subscription API. Otherwise only batches change topics.
        package var hasTopicAPI = true
    }

    package let capacity: Int
    private let state = Mutex(State())
    private let fault: @Sendable (_ request: Request, _ number: Int) -> Fault?

    package init(capacity: Int = 8, fault: @escaping @Sendable (Request, Int) -> Fault? = { _, _ in nil }) {
        self.capacity = capacity
        self.fault = fault
    }

    package var now: State { state.withLock { $0 } }
    package var calls: [Request] { state.withLock(\.calls) }

    package func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    package func exchange(_ request: Request) async -> Exchange { answer(request) }

    package func answer(_ request: Request) -> Exchange {
        state.withLock { state in
            state.calls.append(request)
            switch fault(request, state.calls.count - 1) {
            case .answer(let exchange): return exchange
            case .loseRequest: return .lost(reason: "cut")
            case .loseAnswer:
                _ = state.answer(request)
                return .lost(reason: "cut")
            case .replaceAnswer(let exchange):
                _ = state.answer(request)
                return exchange
            case nil: return state.answer(request)
            }
        }
    }
}

extension ModelFCM.State {
    /// An app gets this registration.
    ///
    /// - Parameter displaces: Whether the installation's other registrations die, with their memberships. Nobody knows that
    ///   the new one would take any over (docs/reference/emulator.md).
    package mutating func register(_ registration: Registration, displaces: Bool) {
        // The memberships of a registration died with it.
        if dead.remove(registration) != nil { leaveAll(registration) }
        registered.insert(registration)
        guard displaces else { return }
        let key = registration.recipientKey
        for other in registered where other != registration && other.recipientKey == key {
            dead.insert(other)
            leaveAll(other)
        }
    }

    private mutating func leaveAll(_ registration: Registration) {
        for topic in topics.keys { topics[topic]?.remove(registration) }
        for group in groups.keys { groups[group]?.remove(registration) }
    }

    fileprivate mutating func answer(_ request: Request) -> Exchange {
        switch request {
        case .send(let body): return send(body)
        case .subscribe(let registration, let topic):
            guard hasTopicAPI else { return .json(404, "<html>Not Found</html>") }
            if dead.contains(registration) { return .unregistered }
            let isNew = topics[topic, default: []].insert(registration).inserted
            return isNew ? .accepted(request) : .error(409, "ALREADY_EXISTS")
        case .unsubscribe(let registration, let topic):
            guard hasTopicAPI else { return .json(404, "<html>Not Found</html>") }
            if dead.contains(registration) { return .unregistered }
            topics[topic]?.remove(registration)
            return .accepted(request)
        case .batch(let operation, let topic, let registrations):
            return batch(operation, topic, registrations)
        case .group(let operation): return group(operation)
        case .read(let query): return answer(query)
        }
    }

    private func answer(_ query: Query) -> Exchange {
        let registration = query.registration
        let names = topics.filter { $0.value.contains(registration) }.keys.sorted()
        switch query {
        case .information:
            if dead.contains(registration) { return .json(404, #"{"error":"No information found"}"#) }
            let list = names.map { #""\#($0)":{"addDate":"2026-12-01"}"# }
            return .json(200, #"{"rel":{"topics":{\#(list.joined(separator: ","))}}}"#)
        case .subscriptions:
            guard hasTopicAPI else { return .json(404, "<html>Not Found</html>") }
            if dead.contains(registration) { return .unregistered }
            let list = names.map { #"{"topicName":"\#($0)"}"# }
            return .json(200, #"{"topicSubscriptions":[\#(list.joined(separator: ","))]}"#)
        }
    }

    private mutating func send(_ body: [UInt8]) -> Exchange {
        guard let body = try? JSONValue(parsing: body), let message = body["message"] else {
            return .json(400, "{}")
        }
        let target: String
        if let text = message["token"]?.string ?? message["fid"]?.string {
            if let registration = Registration(text), dead.contains(registration) { return .unregistered }
            target = keys[text].map { "group:\($0)" } ?? text
        } else {
            target = message["topic"]?.string.map { "topic:\($0)" } ?? "condition:\(message["condition"]?.string ?? "")"
        }
        if body["validate_only"] == true { return .json(200, #"{"name":"projects/p/messages/fake_message_id"}"#) }
        let push = ModelFCM.Push(target: target, title: message["notification"]?["title"]?.string ?? "")
        pushes.append(push)
        arrivals.append(ModelFCM.Arrival(call: calls.count - 1, push: push, devices: devices(of: message)))
        return .json(200, #"{"name":"projects/p/messages/\#(pushes.count)"}"#)
    }

    /// Who gets a message: each living registration once.
    private func devices(of message: JSONValue) -> [Registration] {
        if let text = message["token"]?.string ?? message["fid"]?.string {
            if let group = keys[text] { return Array((groups[group] ?? []).subtracting(dead)) }
            return [Registration(text)].compactMap(\.self)
        }
        if let name = message["topic"]?.string.flatMap(TopicName.init(rawValue:)) {
            return Array((topics[name] ?? []).subtracting(dead))
        }
        guard let condition = message["condition"]?.string.flatMap({ try? Condition(parsing: $0) }) else { return [] }
        let everybody = topics.values.reduce(registered) { $0.union($1) }.subtracting(dead)
        return everybody.filter { device in condition.matches { topics[$0]?.contains(device) ?? false } }
    }

    private mutating func batch(
        _ operation: BatchOperation, _ topic: TopicName, _ registrations: [Registration]
    ) -> Exchange {
        let results = registrations.map { registration in
            if dead.contains(registration) { return #"{"error":"NOT_FOUND"}"# }
            switch operation {
            case .add: topics[topic, default: []].insert(registration)
            case .remove: topics[topic]?.remove(registration)
            }
            return "{}"
        }
        return .json(200, #"{"results":[\#(results.joined(separator: ","))]}"#)
    }

    private mutating func group(_ operation: GroupOperation) -> Exchange {
        let name = operation.name
        if let key = operation.key, keys[key.rawValue] != name, groups[name] != nil {
            return .groupError("notification_key_name doesn't match the group name of the notification_key")
        }
        switch operation {
        case .create(_, let registrations):
            if groups[name] != nil { return .groupError("notification_key already exists") }
            return change(name, to: Set(registrations).subtracting(dead), valid: registrations)
        case .add(_, _, let registrations):
            guard let members = groups[name] else { return .groupError("notification_key not found") }
            return change(name, to: members.union(registrations).subtracting(dead), valid: registrations)
        case .remove(_, _, let registrations):
            guard let members = groups[name] else { return .groupError("notification_key not found") }
            return change(name, to: members.subtracting(registrations), valid: registrations)
        case .retrieve:
            return groups[name] == nil ? .groupError("notification_key not found") : newKey(of: name)
        }
    }

    private mutating func change(
        _ name: GroupName, to members: Set<Registration>, valid registrations: [Registration]
    ) -> Exchange {
        if dead.isSuperset(of: registrations) { return .groupError("no valid registration ids") }
        groupSizes.append(members.count)
        guard members.count <= 20 else { return .groupError("too many registration ids") }
        groups[name] = members.isEmpty ? nil : members
        return newKey(of: name)
    }

    private mutating func newKey(of name: GroupName) -> Exchange {
        let key = "APA91b-\(name)-\(keys.count)"
        keys[key] = name
        return .json(200, #"{"notification_key":"\#(key)"}"#)
    }
}

extension Exchange {
    /// An error in the form that the device groups' page shows.
    package static func groupError(_ text: String) -> Exchange { .json(400, #"{"error":"\#(text)"}"#) }
}

extension GroupName: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        guard let name = GroupName(rawValue: value) else { preconditionFailure("'\(value)' is no group name") }
        self = name
    }
}
