import FCM
import HeraldCore
import HeraldTestSupport

/// Compares all requests that the emulator got with the state and the reports. The ledger has only accepted requests,
/// but refused ones must be accounted for too.
extension Witness {
    /// A request that arrived from herald.
    struct Request {
        enum Kind: String, CaseIterable {
            case send
            /// For one registration, or a batch.
            case membership

            /// The kind of request that a report's step makes.
            init?(_ step: JSONValue) {
                switch step["action"]?.string {
                case "send": self = .send
                case "subscribe", "unsubscribe": self = .membership
                default: return nil
                }
            }
        }

        let kind: Kind
        /// `nil` if the emulator cut the connection.
        let status: Int?

        /// `nil` for requests of other kinds.
        init?(_ line: JSONValue) {
            guard line["method"]?.string != "GET", let path = line["path"]?.string else { return nil }
            if path.hasSuffix("/messages:send") {
                kind = .send
            } else if path.contains("/topicSubscriptions") || path.hasPrefix("/iid/v1:batch") {
                kind = .membership
            } else {
                return nil
            }
            status = line["status"]?.int.map(Int.init)
        }
    }

    /// Outcomes that need an answer, though the emulator gave fewer such answers.
    func unheard() -> [String] {
        let statuses = requests.filter { $0.kind == .send }.compactMap(\.status)
        let accepted = statuses.count { $0 == 200 }
        let refused = statuses.count { 400..<500 ~= $0 && $0 != 429 }
        let occurrences = state.occurrences.values
        // Whom FCM refused for now until the end had no answer that is counted here.
        let rejected = occurrences.reduce(0) { sum, occurrence in
            sum + occurrence.rejected.subtracting(occurrence.codes[Ledger.refusal] ?? []).count
        }
        let claims: [(outcome: String, by: String, claimed: Int, seen: Int)] = [
            ("accepted", "the state", occurrences.reduce(0) { $0 + $1.accepted.count }, accepted),
            ("rejected", "the state", rejected, refused),
            ("accepted", "the reports", total("accepted", of: .send), accepted),
            ("rejected", "the reports", total("rejected", of: .send), refused),
        ]
        return claims.filter { $0.claimed > $0.seen }
            .map { "\($0.by) would have \($0.claimed) sends \($0.outcome); the emulator had \($0.seen)" }
    }

    /// Requests that arrived without a reason in the state or the reports.
    func unasked(
        with drawn: SweepWorkspace, repeats: [String: [String: Int]], isAccountWhole: Bool
    ) -> [String] {
        var problems: [String] = []
        // For all steps together, since a report does not tell their retries apart.
        let retries = reports.reduce(0) { $0 + Int($1.report["summary"]?["retries"]?.int ?? 0) }
        if isAccountWhole {
            for kind in Request.Kind.allCases {
                let known = retries + steps(of: kind).reduce(0) { $0 + asked(in: $1, drawn) }
                let arrived = requests.count { $0.kind == kind }
                if arrived > known {
                    problems.append("\(arrived) requests (\(kind)) arrived, and the reports know of \(known)")
                }
            }
        }
        // A recipient that FCM refuses for a while may be left for the next run, and the state does not count attempts.
        if !drawn.script.asksToRepeat {
            let tried = state.occurrences.values.reduce(0) { $0 + $1.tried.count }
            let again = repeats.values.joined().reduce(retries) { $0 + $1.value }
            let arrived = requests.count { $0.kind == .send }
            if arrived > tried + again {
                problems.append("\(arrived) sends arrived: the state has \(tried) asked, and \(again) of them again")
            }
        }
        return problems
    }

    /// The most requests that a step may have made, without retries.
    private func asked(in step: JSONValue, _ drawn: SweepWorkspace) -> Int {
        if Request.Kind(step) == .membership, drawn.topicAPI == "iid" { return 1 }
        // A recipient left for another run got one request at most, before a retry that did not happen.
        let left = figure("pending", step) + figure("held", step)
        return figure("accepted", step) + figure("rejected", step) + figure("unknown", step)
            + min(left, Sandbox.inFlight)
    }

    private func steps(of kind: Request.Kind) -> [JSONValue] {
        reports.flatMap { $0.report["steps"]?.array ?? [] }.filter { Request.Kind($0) == kind }
    }

    private func total(_ name: String, of kind: Request.Kind) -> Int {
        steps(of: kind).reduce(0) { $0 + figure(name, $1) }
    }

    private func figure(_ name: String, _ step: JSONValue) -> Int { Int(step[name]?.int ?? 0) }
}
