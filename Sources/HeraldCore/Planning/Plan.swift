package import FCM

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What `apply` will do, and nothing else.
package struct Plan: Hashable, Sendable {
    /// The instant it was made for.
    package var at: Date
    package var workspaceDigest: String
    /// Which record it was made against, and at what point of that record's life; absent without a record.
    package var state: StateMark?
    package var steps: [Step] = []
    package var upcoming: [Upcoming] = []
    /// Upcoming sends beyond those listed.
    package var upcomingOmitted = 0
    package var missed: [Missed] = []
    /// Occurrences of which nobody is left to be tried, and whose end a crash kept from the record.
    package var over: [OccurrenceID] = []
    package var held: [Held] = []
    package var refusals: [GuardRefusal] = []
    package var warnings: [String] = []
    package var collapsed = 0
    /// Recipients that lists name and FCM declared dead.
    package var deadListed = 0

    package struct StateMark: Hashable, Sendable {
        package var lineage: String
        package var serial: Int64
    }

    /// One unit of work: all of one topic's joins or leaves, or one occurrence's sends.
    package struct Step: Hashable, Sendable {
        package var work: Work
        /// For readers; it never steers the run.
        package var reason: String
        /// How long the rates make it last, at least.
        package var seconds: Int
    }

    package enum Work: Hashable, Sendable {
        case subscribe(TopicName, RecipientSet)
        case unsubscribe(TopicName, RecipientSet)
        case send(Send)
    }

    package struct Send: Hashable, Sendable {
        package var campaign: String
        package var occurrence: OccurrenceID
        package var revision: Int
        package var due: Date?
        package var target: Campaign.Target
        package var contentDigest: String
        package var message: [String: JSONValue]
        /// Nothing starts after it.
        package var deadline: Date?
        package var expiresAfter: Duration?
        package var rate: Rate?
        package var stopWhenRejectedPercent: Int
        package var onUnknown: Campaign.OnUnknown
        /// Whom requests go to.
        package var members: RecipientSet
        /// Left by a crash between intent and outcome; this run records them as unknown.
        package var discovered: RecipientSet
        /// How many people it is for: `members`, or a topic's subscribers.
        package var recipients: Int
        /// Whether the record has the occurrence open.
        package var isResumed: Bool
    }

    package struct Upcoming: Hashable, Sendable {
        package var campaign: String
        package var occurrence: OccurrenceID
        package var due: Date
        package var timezone: String
        package var target: Campaign.Target
        package var recipients: Int
    }

    package struct Missed: Hashable, Sendable {
        package var occurrence: OccurrenceID
        package var due: Date
        package var reason: String
        /// What the record is to keep of it, where it has nothing yet, so that it is missed once and not for ever.
        package var unrecorded: RecordedOccurrence?
    }

    package struct Held: Hashable, Sendable {
        package var occurrence: OccurrenceID
        package var reason: String
        package var resolve: String
    }
}

extension Plan {
    /// Whether applying it changes anything.
    package var isEmpty: Bool { steps.isEmpty && missed.isEmpty }
}

extension Plan.Send {
    /// The same with nobody to send to, only what a crash left to account for.
    func withoutRequests(leftByCrash discovered: RecipientSet) -> Plan.Send {
        var copy = self
        copy.members = []
        copy.recipients = 0
        copy.discovered = discovered
        return copy
    }
}

extension Plan.Work {
    package var action: String {
        switch self {
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .send: "send"
        }
    }

    /// Recipients the step accounts for.
    package var planned: Int {
        switch self {
        case .subscribe(_, let members), .unsubscribe(_, let members): members.count
        case .send(let send): send.members.count + send.discovered.count
        }
    }

    package var requests: Int {
        switch self {
        case .subscribe(_, let members), .unsubscribe(_, let members): members.count
        case .send(let send): send.members.count
        }
    }
}

extension Plan.Step {
    /// The same for the same work: `subscribe:TOPIC`, `send:OCCURRENCE`.
    package var id: String {
        switch work {
        case .subscribe(let topic, _), .unsubscribe(let topic, _): "\(work.action):\(topic)"
        case .send(let send): "send:\(send.occurrence)"
        }
    }
}
