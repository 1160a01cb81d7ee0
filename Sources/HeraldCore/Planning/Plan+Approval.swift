internal import Crypto
internal import FCM

/// What a person approves: a whole plan by its document's digest, or a single step by its own digest.
extension Plan {
    /// The digest of each step.
    package var stepDigests: [StepID: String] {
        Dictionary(steps.map { ($0.id, digest(of: $0)) }) { first, _ in first }
    }

    /// Covers what the step does, to which recipients, and how. It does not cover why, how long it takes, or what else
    /// is planned.
    ///
    /// Recipients are identified by their numbers, which never change once the state knows them. The numbers of new
    /// recipients hold for this plan only. A step with a new recipient therefore also covers the workspace, whose lists
    /// name it.
    package func digest(of step: Step) -> String {
        var members: [String: JSONValue] = [
            "id": .string(step.id.description), "lineage": state.map { .string($0.lineage) } ?? .null,
            "members": step.work.members.pin, "after": step.successor.map { .string($0.rawValue) } ?? .null,
        ]
        if step.adopts { members["adopts"] = true }
        if case .send(let send) = step.work { members["send"] = .object(send.terms) }
        let firstNew = state?.firstNew ?? KnownRecipient.firstID
        if let last = step.work.members.runs.last, last.upperBound >= firstNew {
            members["workspace"] = .string(workspaceDigest)
        }
        return JSONValue.object(members).digest
    }
}

extension Plan.Work {
    /// The recipients of the step's requests.
    fileprivate var members: RecipientSet {
        switch self {
        case .subscribe(_, let members), .unsubscribe(_, let members): members
        case .adopt(let adoption): adoption.members
        case .group(let change): change.members
        case .send(let send): send.members
        }
    }
}

extension Plan.Send {
    /// How it is sent. The content digest covers message and target.
    fileprivate var terms: [String: JSONValue] {
        [
            "revision": .int(Int64(revision)), "content": .string(contentDigest),
            "due": due.map { .string($0.rfc3339) } ?? .null,
            "deadline": deadline.map { .string($0.rfc3339) } ?? .null,
            "expires_after": delivery.expiresAfter.map { .string($0.protobufText) } ?? .null,
            "rate": delivery.rate?.json ?? .null,
            "stop_when_rejected_percent": .int(Int64(delivery.stopWhenRejectedPercent)),
            "on_error": .string(delivery.onError.rawValue), "on_unknown": .string(delivery.onUnknown.rawValue),
            "group_members": .string(delivery.members.rawValue),
            "recipients": .int(Int64(recipients)), "unknown": discovered.pin,
        ].merging(personalTerms) { $1 }.merging(begun.map { ["begun": .string($0.rfc3339)] } ?? [:]) { $1 }
    }

    /// Who gets which text. Nothing for a campaign that is not personal.
    private var personalTerms: [String: JSONValue] {
        if classes.isEmpty { return [:] }
        let parts = classes.states.sorted().map { recipients -> JSONValue in
            [
                "locale": recipients.locale.map { .string($0) } ?? .null,
                "variant": recipients.variant.map { .string($0) } ?? .null, "members": classes[recipients].pin,
            ]
        }
        return ["classes": .array(parts)]
    }
}

extension Rate {
    fileprivate var json: JSONValue {
        switch self {
        case .limited(let rate): .int(Int64(rate))
        case .unlimited: "unlimited"
        }
    }
}

extension RecipientSet {
    /// A value that is equal only for equal sets.
    fileprivate var pin: JSONValue {
        var hash = SHA256()
        for run in runs {
            for bound in [run.lowerBound, run.upperBound] {
                withUnsafeBytes(of: bound.littleEndian) { hash.update(bufferPointer: $0) }
            }
        }
        return ["count": .int(Int64(count)), "sha256": .string(hash.finalize().hexadecimal)]
    }
}
