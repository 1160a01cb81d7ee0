import FCM
import HeraldStore
import HeraldTestSupport

@testable import HeraldCore

/// Apps that leave topics by themselves, what herald learns of it, and whom it adopts.
extension Life {
    /// The app of an installation unsubscribes its user.
    func leaveByApp(_ random: inout SeededRandom) {
        let followed = fcm.now.topics.filter { !alive($0.value).isEmpty }.keys.sorted()
        guard let name = followed.randomElement(using: &random) else { return }
        let followers = alive(fcm.now.topics[name] ?? []).sorted { $0.rawValue < $1.rawValue }
        guard let registration = followers.randomElement(using: &random) else { return }
        fcm.change { _ = $0.topics[name]?.remove(registration) }
        departed[name, default: []].insert(registration.recipientKey)
        owners[name]?[registration] = nil
        for topic in files.topics where topic.name == name { kept[topic.line]?.remove(registration) }
        tell("the app of \(number(of: registration.recipientKey)) leaves \(name)")
    }

    /// Some members that the state has are asked for, and whoever left is recorded.
    func recordDrift(_ random: inout SeededRandom) async throws {
        var (changes, asked, left) = ([StateChange](), RecipientSet(), 0)
        let share = Double.random(in: 0.3...1, using: &random)
        for (name, topic) in known.snapshot.topics.sorted(by: { $0.key < $1.key }) {
            let members = known.registrations(of: topic.subscribers).sorted { $0.key < $1.key }
                .filter { _ in Double.random(in: 0..<1, using: &random) < share }
            let gone = members.filter { fcm.now.topics[name]?.contains($0.value) != true && !alive([$0.value]).isEmpty }
            asked.formUnion(RecipientSet(members.map(\.key)))
            guard !gone.isEmpty else { continue }
            left += gone.count
            changes.append(.reclassify(name, RecipientSet(gone.map(\.key)), .left))
        }
        looked = nil
        let store = try await currentPlace().open(for: .changing)
        try await store.commit(changes + [.observed(asked, at: now)])
        try await look()
        tell("\(asked.count) are asked for, and \(left) memberships are recorded as left")
    }

    /// Before a run: whom the state knows to have left, and whom herald may adopt in it.
    func noteOwnership() {
        leftBefore = known.snapshot.topics.mapValues { known.installations(of: $0.left) }
        for topic in files.topics where topic.adopt {
            for name in [topic.name] + topic.previousNames {
                adoptable[name, default: []].formUnion(files.members(of: topic))
            }
        }
    }

    /// After a run that did everything, what is not adopted any more was given back.
    func noteGivenBack() {
        for topic in files.topics where !topic.adopt {
            for name in [topic.name] + topic.previousNames { adoptable[name] = nil }
        }
    }

    /// Whether herald may unsubscribe what the app subscribed.
    func isAdopted(_ registration: Registration, in name: TopicName) -> Bool {
        guard adoptable[name]?.contains(registration.recipientKey) == true else { return false }
        return declared(as: name)?.adopt ?? true
    }

    /// Whoever left by themselves stays out, unless the file says otherwise.
    func checkJoin(_ registration: Registration, _ name: TopicName) throws {
        guard let topic = declared(as: name), topic.drift == .keep else { return }
        guard leftBefore[name]?.contains(registration.recipientKey) == true else { return }
        // A topic that only takes people out of conditions has who is suppressed, come what may.
        if files.suppressed(of: topic.line).isEmpty, files.suppressed().contains(registration.recipientKey) { return }
        throw LifeProblem(
            promise: "subscribes nobody who left", words: "\(number(of: registration.recipientKey)) to \(name)")
    }

    private func declared(as name: TopicName) -> LifeFiles.Topic? {
        files.topics.first { $0.name == name } ?? files.topics.first { $0.previousNames.contains(name) }
    }

    /// Whoever is in a topic again is not gone any more.
    func noteBack() {
        for name in departed.keys { departed[name]?.subtract(alive(followers(of: name)).map(\.recipientKey)) }
    }

    /// The registrations in a topic that bring back whoever is gone. One that an app subscribed, and which no list
    /// names or which a person had forgotten, does not bring the listed one back.
    private func followers(of name: TopicName) -> Set<Registration> {
        let listed = files.listed
        return (fcm.now.topics[name] ?? []).subtracting(forgotten)
            .filter { listed.contains($0) || owners[name]?[$0] == true }
    }

    /// A rename moves people by their newest registration. Once that one is under the new name, an earlier one that
    /// left the old name stays out, also if a person has the newest forgotten later.
    func noteMove(of registration: Registration, from name: TopicName) {
        for topic in files.topics where topic.previousNames.contains(name) {
            let moved = followers(of: topic.name).filter { $0.recipientKey == registration.recipientKey }
            guard !moved.isEmpty, !moved.contains(registration) else { continue }
            kept[topic.line]?.remove(registration)
        }
    }

    /// A rename takes along who left: whom the state knows to have left a topic stays out of it, also once its earlier
    /// name is another topic's. A topic may look like one that has its earlier name again.
    func noteTakenAlong() {
        let declared = Set(files.topics.map(\.name))
        let others = Set(departed.filter { !declared.contains($0.key) }.values.joined())
        for topic in files.topics {
            let left = known.installations(of: known.snapshot.topics[topic.name]?.left ?? [])
            departed[topic.name, default: []].formUnion(gone(from: topic).union(others).intersection(left))
        }
    }

    /// Who is not in a topic because they left it, as herald may know or not.
    func gone(from topic: LifeFiles.Topic) -> Set<RecipientKey> {
        ([topic.name] + topic.previousNames).reduce(into: []) { $0.formUnion(departed[$1] ?? []) }
    }

    /// Whoever left and is known to have left is back where the file says so.
    func checkRestored() throws {
        for topic in files.topics where topic.drift == .restore {
            let left = known.installations(of: known.snapshot.topics[topic.name]?.left ?? [])
            let missing = left.intersection(files.members(of: topic)).intersection(reachable)
            if let one = missing.map({ number(of: $0) }).min() {
                throw LifeProblem(promise: "restores who left", words: "\(one) is not back in \(topic.name)")
            }
        }
    }
}
