import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore

/// Looks at everything that a run needs. It changes nothing: FCM only validates and tells.
struct Checkup {
    let context: CommandContext
    let now: @Sendable () -> Date

    private var settings: Settings { context.settings }

    /// All checks, in the order in which a person fixes things.
    func results() async -> [CheckResult] {
        let state = await StateCheck(location: context.state, runEvery: settings.runEvery, now: now()).look()
        var results = await callResults()
        results.append(QuotaCheck.result(state.recorded?.sendQuota, rate: settings.fcm.rate))
        results.append(state.result)
        results.append(
            ZoneCheck.result(release: Zone.databaseVersion, isThere: Zone(named: "Europe/Rome") != nil, at: now()))
        results.append(
            DriftCheck.result(
                state.recorded?.lastDrift, hasTopics: !context.workspace.topics.isEmpty, at: now()))
        results.append(FileCheck.result(context.files.mistakes))
        let known = state.recorded?.knownCount ?? 0
        let fetched = ListFetch.all(of: context.workspace)
        if !lists.isEmpty || fetched.isEmpty {
            results.append(
                ListCheck.result(lists, known: known, dead: state.recorded?.dead.count ?? 0, at: now()))
        }
        let sources = ListSources(
            folder: context.files.folder, settings: settings, environment: context.common.environment
        ) { false }
        return results + (await SourceCheck(sources: sources, now: now()).results(of: fetched))
    }

    /// What FCM and Google's sign-in say, with the proxy on the way there.
    private func callResults() async -> [CheckResult] {
        let proxy = ProxyCheck(to: context.destination.endpoint, environment: context.common.environment)
        return await Calls(context: context, proxy: proxy.name, now: now).results() + [proxy.result]
    }

    private var lists: [ListCheck.List] {
        let named = context.workspace.audiences.compactMap { audience -> Located<String>? in
            // Those that herald fetches are looked at where they come from.
            if audience.origin == nil, case .list(let path, _) = audience.source { path } else { nil }
        }
        let lists = named.map { path in
            let place = context.files.folder.list(path, of: settings)
            let attributes = place.flatMap { try? FileManager.default.attributesOfItem(atPath: $0.path) }
            return ListCheck.List(
                name: place?.name ?? path.value, changed: attributes?[.modificationDate] as? Date)
        }
        return Set(lists).sorted { $0.name < $1.name }
    }
}
