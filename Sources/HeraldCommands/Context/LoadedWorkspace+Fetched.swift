import Foundation
import HeraldCore
import HeraldStore

/// How old the lists are that `herald fetch` brought.
extension LoadedWorkspace {
    /// Those that plans must refuse.
    func staleLists(at now: Date) -> [StaleList] {
        workspace.audiences.compactMap { audience in
            let name = audience.name.value
            guard let limit = audience.origin?.freshness.errorAfter, let age = fetched[name]?.age(at: now), age > limit
            else { return nil }
            return StaleList(audience: name, age: age, limit: limit)
        }
    }

    /// Those of some audiences that nobody approved as they are now, where that is required.
    func unapprovedAudiences(among names: Set<String>, in state: any StateLocation) async throws -> Set<String> {
        if names.isEmpty { return [] }
        let recorded = try await state.openIfPresent(for: .reading)?.approvals() ?? [:]
        guard workspace.settings.approval.isRequired || !recorded.isEmpty else { return [] }
        let approval = approval()
        return names.filter { !approval.isCovered(.init(kind: .audience, name: $0), by: recorded) }
    }

    /// The times of all of them, also where no list is read.
    var knownLists: [String: KnownList] {
        workspace.audiences.reduce(into: [:]) { known, audience in
            guard audience.origin != nil, case .list(let path, _) = audience.source,
                let place = folder.list(path, of: workspace.settings), let list = FetchedList(beside: place.path)
            else { return }
            known[audience.name.value] = list.known
        }
    }

    /// Their ages, for people. A list whose fetch was due two runs ago is old, too: its fetch fails. Of one that waits for
    /// an approval, what is there came from another place.
    func listAges(of lists: [String: KnownList], at now: Date) -> [ListAge] {
        workspace.audiences.compactMap { audience in
            let name = audience.name.value
            guard let freshness = audience.origin?.freshness, let list = lists[name],
                !workspace.unfetched.contains(name)
            else { return nil }
            let (age, limit) = (
                list.age(at: now), [freshness.warnAfter, freshness.errorAfter].compactMap(\.self).min()
            )
            let latest = freshness.every.map { $0 + workspace.settings.runEvery * 2 }
            let isLate = latest.map { list.timeSinceFetch(at: now) > $0 } ?? false
            let isOld = limit.map { age > $0 } ?? false
            return ListAge(audience: name, fetched: list.fetched, age: age, isOld: isOld || isLate)
        }
        .sorted { $0.audience < $1.audience }
    }

    /// Throws if git has files where `herald fetch` writes, or does not say it: a list of a pull request would count as
    /// fetched.
    static func requireUntracked(_ workspace: Workspace, in folder: WorkspaceFolder) throws(CommandFailure) {
        guard workspace.audiences.contains(where: { $0.origin != nil }),
            let repository = GitRepository(around: folder.path),
            let answer = GitProgram.run(["ls-files", "-z", "--", ".herald"], in: folder.path)
        else { return }
        guard answer.status == 0 else {
            throw CommandFailure(
                .wrong, "\(repository.refusal), so nobody knows whether the lists below .herald were fetched",
                help: repository.help)
        }
        guard !answer.output.isEmpty else { return }
        throw CommandFailure(
            .wrong, "git tracks files below .herald, where herald keeps the lists that it fetched",
            help: "take them out of git: git rm -r --cached .herald")
    }

    func tellAges(at now: Date, on console: Console) {
        let ages = fetched.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.age(at: now).rounded)" }
        if ages.isEmpty { return }
        let more = ages.count > 10 ? " and \(ages.count - 10) more" : ""
        console.info("herald: age of fetched lists: \(ages.prefix(10).joined(separator: ", "))\(more)\n")
    }
}
