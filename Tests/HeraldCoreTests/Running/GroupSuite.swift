import FCM
import HeraldTestSupport

@testable import HeraldCore

/// Tests with one device group.
protocol GroupSuite {}

extension GroupSuite {
    static var name: GroupName { "chris" }

    func want(_ members: RecipientSet) -> [DesiredGroup] { [DesiredGroup(name: Self.name, members: members)] }

    /// A group of these members, at FCM and in the state. The first call that FCM knows of is the one that made it.
    func laboratory(_ members: RecipientSet = [1, 2, 3]) async throws -> (Laboratory, ModelFCM) {
        let (laboratory, fcm) = (Laboratory(), ModelFCM())
        _ = try await laboratory.run(laboratory.plan(groups: want(members)), fcm)
        fcm.change { $0.calls.removeFirst() }
        return (laboratory, fcm)
    }

    func recorded(_ laboratory: Laboratory) -> RecordedGroup? { laboratory.memory.state().groups[Self.name] }

    /// The requests in words, without their keys.
    func words(_ calls: some Sequence<Request>) -> [String] {
        calls.map { call in
            guard case .group(let operation) = call else { return "\(call)" }
            let numbers = { (all: [Registration]) in
                all.map { $0.rawValue.drop { !$0.isWholeNumber }.drop { $0 == "0" } }.joined(separator: " ")
            }
            return switch operation {
            case .create(_, let all): "create \(numbers(all))"
            case .add(_, _, let all): "add \(numbers(all))"
            case .remove(_, _, let all): "remove \(numbers(all))"
            case .retrieve: "retrieve"
            }
        }
    }
}
