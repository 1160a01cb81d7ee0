import FCM
import HeraldCore

/// The emulator's list of requests, whatever it answered, held against the record and the reports. The ledger has only
/// what was accepted; whom FCM refuses is asked no oftener than is accounted for either.
extension Witness {
    /// A request of herald's that arrived.
    struct Request {
        enum Kind: String, CaseIterable {
            case send
            /// Of one registration or a batch.
            case membership
        }

        let kind: Kind
        /// `nil` where the emulator cut the connection.
        let status: Int?

        /// `nil` for any other request than these.
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

    /// What is claimed to have been answered, and was not.
    func unheard() -> [String] {
        let statuses = requests.filter { $0.kind == .send }.compactMap(\.status)
        let accepted = statuses.count { $0 == 200 }
        let refused = statuses.count { 400..<500 ~= $0 && $0 != 429 }
        let occurrences = record.occurrences.values
        let claims = [
            ("accepted", "the record", occurrences.reduce(0) { $0 + $1.accepted.count }, accepted),
            ("rejected", "the record", occurrences.reduce(0) { $0 + $1.rejected.count }, refused),
            ("accepted", "the reports", total("accepted", of: .send), accepted),
            ("rejected", "the reports", total("rejected", of: .send), refused),
        ]
        return claims.filter { $0.2 > $0.3 }
            .map { "\($0.2) sends were \($0.0), as \($0.1) have it; the emulator did so \($0.3) times" }
    }

    /// Requests that arrived though nobody was to be asked, as the record or the reports have it.
    func unasked(
        with world: SweepWorld, repeats: [String: [String: Int]], isAccountWhole: Bool
    ) -> [String] {
        var problems: [String] = []
        // Of all steps together: a report does not tell them apart.
        let retries = reports.reduce(0) { $0 + Int($1.report["summary"]?["retries"]?.int ?? 0) }
        if isAccountWhole {
            for kind in Request.Kind.allCases {
                // Of those who are left for another run each may have been asked once before the first retry.
                let figures = ["accepted", "rejected", "unknown", "pending", "held"]
                let known = figures.reduce(retries) { $0 + total($1, of: kind) }
                let arrived = requests.count { $0.kind == kind }
                if arrived > known {
                    problems.append("\(arrived) requests (\(kind)) arrived, and the reports know of \(known)")
                }
            }
        }
        // Whom FCM refuses for a while one run may leave for the next, and the record does not count attempts.
        if !world.script.asksToRepeat {
            let tried = record.occurrences.values.reduce(0) { $0 + $1.tried.count }
            let again = repeats.values.joined().reduce(retries) { $0 + $1.value }
            let arrived = requests.count { $0.kind == .send }
            if arrived > tried + again {
                problems.append("\(arrived) sends arrived: the record has \(tried) asked, and \(again) of them again")
            }
        }
        return problems
    }

    /// One figure of all steps of a kind, over all reports.
    private func total(_ figure: String, of kind: Request.Kind) -> Int {
        let steps = reports.flatMap { $0.report["steps"]?.array ?? [] }.filter { step in
            let isSend = step["id"]?.string?.hasPrefix("send:") == true
            let isMembership = step["topic"]?.string != nil && !isSend
            return kind == .send ? isSend : isMembership
        }
        return steps.reduce(0) { $0 + Int($1[figure]?.int ?? 0) }
    }
}
