import FCM
import Foundation
import HeraldStore
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A workspace with lists and a state on disk, with random changes.
final class CachedWorld {
    private let folder: TemporaryFolder
    private var random: SeededRandom
    private var lists: [[Row]]
    private var filters: [Set<String>?]
    private var excludes: [Int?]
    private var suppressed: Int?
    /// Whether campaigns have a window by each person's clock.
    private var hasZones: Bool
    private var lineage = 0
    /// Counts the modification times that were given to files.
    private var hour = 0
    /// Whoever dies later has a later tombstone.
    private var deaths = 0

    private typealias Row = (registration: Registration, locale: String, zone: String)

    private static let population = 25
    private static let locales = ["it", "en", ""]
    private static let zones = ["Europe/Rome", "Asia/Tokyo", "+05:30", " Asia/Tokyo", "", "Nowhere/Land"]
    private static let names = ["l0.csv", "l1.txt", "l2.csv"]

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        hasZones = !seed.isMultiple(of: 3)
        folder = try TemporaryFolder(["herald.yaml": "herald: 1\nproject: tide-app\nstate: state.sqlite\n"])
        lists = Self.names.map { _ in [] }
        filters = [nil, nil, nil, ["it"]]
        excludes = [nil, nil, nil, nil]
        for list in lists.indices {
            lists[list] = (0..<Int.random(in: 0...25, using: &random)).map { _ in row() }
            try writeList(list)
        }
        try writeResources()
        try makeState()
    }

    // MARK: Planning

    private var statePath: String { "\(folder.path)/state.sqlite" }

    func openStore() throws -> SQLiteStore { try SQLiteStore.open(at: statePath) }

    /// - Parameter isCached: Whether the cache beside the state is used and renewed.
    func load(isCached: Bool) throws -> WorkspaceLoader.Loaded {
        let workspace = try #require(WorkspaceFolder(at: self.folder.path))
        return WorkspaceLoader.load(workspace, environment: [:], at: Date()) { [files] _ in isCached ? files : nil }
    }

    /// Its clock is ahead, so that even new files are old enough for their times to be trusted. Each change gives a
    /// file a time of its own.
    private var files: ListCacheFiles {
        ListCacheFiles(beside: statePath, host: "host", version: "1") {
            Int64((Date().timeIntervalSince1970 + 100) * 1_000_000_000)
        }
    }

    func wanted(
        _ loaded: WorkspaceLoader.Loaded, knownTo store: SQLiteStore, isCached: Bool
    ) async throws -> Wanted {
        let workspace = try #require(loaded.workspace)
        let index = try #require(loaded.recipientIndex).get()
        let files = files
        let keep: Wanted.Keep? = isCached ? files.keeper : nil
        let path = folder.path
        return try await Wanted(
            workspace, index, knownTo: store, as: store.snapshot(), noting: isCached ? (1, 2) : nil,
            keep: keep,
            sorted: {
                let place = try #require(WorkspaceFolder(at: path))
                let read = WorkspaceLoader.lists(
                    of: workspace, in: place, environment: [:], at: index.date, cacheFiles: files)
                #expect(read.digests == loaded.listDigests)
                return try read.recipientIndex.get()
            })
    }

    /// Replaces the rows of the lists.
    func fill(_ registrations: [[Registration]]) {
        for (list, rows) in registrations.enumerated() { lists[list] = rows.map { ($0, "it", "Asia/Tokyo") } }
    }

    func writeLists() throws { for list in lists.indices { try writeList(list) } }

    // MARK: Changes

    /// Makes a random change, and returns its name.
    func change() async throws -> String {
        switch Int.random(in: 0..<17, using: &random) {
        case 0, 1:
            let list = anyList()
            lists[list].append(row())
            try writeList(list)
            return "a row more in \(list)"
        case 2:
            let list = anyList()
            if !lists[list].isEmpty { lists[list].remove(at: .random(in: lists[list].indices, using: &random)) }
            try writeList(list)
            return "a row less in \(list)"
        case 3, 4:
            let list = anyList()
            let others = lists[list].map { _ in row() }
            lists[list] = others
            try writeList(list)
            return "all rows of \(list) are others"
        case 5:
            let list = anyList()
            try setTimes(of: path(list))
            return "\(list) was touched"
        case 6:
            return try changeInPlace()
        case 7:
            lists.swapAt(0, 2)
            try rename(path(0), path(2))
            return "lists swapped"
        case 8:
            filters[3] = Bool.random(using: &random) ? ["it"] : ["en", ""]
            filters[0] = Bool.random(using: &random) ? ["it", ""] : nil
            try writeResources()
            return "other filters"
        case 9:
            excludes[0] = Bool.random(using: &random) ? 1 : nil
            suppressed = Bool.random(using: &random) ? 2 : nil
            if Int.random(in: 0..<4, using: &random) == 0 { hasZones.toggle() }
            try writeResources()
            return "other exclusions"
        case 10: return try damage()
        case 11: return try keepOrRestoreState()
        case 12:
            try removeState()
            try makeState()
            return "a state made anew"
        case 13:
            let store = try openStore()
            let id = try await store.snapshot().nextRecipient
            try await store.commit([.register([id: .keyless(1000 + Int(id))])])
            return "somebody else has a number"
        case 14:
            let store = try openStore()
            let known = try await store.recipients(after: 0, limit: 100)
            if let one = known.randomElement(using: &random), one.registration.recipientKey.rawValue.utf8.count == 22,
                let newer = Registration(
                    one.registration.recipientKey.rawValue + ":" + String(repeating: "n", count: 100))
            {
                try await store.commit([.register([one.id: newer])])
            }
            return "somebody has another registration"
        case 15:
            let store = try openStore()
            let known = try await store.recipients(after: 0, limit: 100)
            if let one = known.randomElement(using: &random), one.registration.kind == .token {
                deaths += 1
                try await store.commit([.forget([one.id], at: .at(Double(deaths)))])
            }
            return "somebody is dead"
        default: return "nothing"
        }
    }

    private func anyList() -> Int { .random(in: lists.indices, using: &random) }

    private func path(_ list: Int) -> String { "\(folder.path)/\(Self.names[list])" }

    private func row() -> Row {
        let number = Int.random(in: 0..<Self.population, using: &random)
        let registration: Registration =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .fid(number)
            case 1: .token(number, version: 1)
            default: number % 7 == 3 ? .keyless(number) : .token(number)
            }
        return (
            registration, Self.locales.randomElement(using: &random) ?? "",
            Self.zones.randomElement(using: &random) ?? ""
        )
    }

    private func text(_ list: Int) -> String {
        let rows = lists[list].map { row in
            if Self.names[list].hasSuffix("txt") { return row.registration.rawValue }
            let isFid = row.registration.kind == .fid
            let columns = isFid ? "\(row.registration.rawValue)," : ",\(row.registration.rawValue)"
            return "\(columns),\(row.locale),\(row.zone)"
        }
        let head = Self.names[list].hasSuffix("txt") ? [] : ["fid,token,locale,zone"]
        return (head + rows).map { $0 + "\n" }.joined()
    }

    private func writeList(_ list: Int) throws {
        try folder.write(text(list), to: Self.names[list])
        try setTimes(of: path(list))
    }

    /// Writes another locale of the same length into the same file, and restores the modification time.
    private func changeInPlace() throws -> String {
        guard let place = lists[0].firstIndex(where: { $0.locale == "it" }) else { return "nothing" }
        try awaitTick(of: path(0))
        let (before, date) = (
            try identity(of: path(0)), try FileManager.default.attributesOfItem(atPath: path(0))[.modificationDate]
        )
        lists[0][place].locale = "en"
        let handle = try #require(FileHandle(forUpdatingAtPath: path(0)))
        try handle.write(contentsOf: Data(text(0).utf8))
        try handle.close()
        if let date { try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path(0)) }
        let after = try identity(of: path(0))
        #expect(after.inode == before.inode && after.size == before.size && after.modified == before.modified)
        return "a change that shows in nothing but the time of change"
    }

    private func rename(_ one: String, _ other: String) throws {
        let between = "\(folder.path)/between"
        try FileManager.default.moveItem(atPath: one, toPath: between)
        try FileManager.default.moveItem(atPath: other, toPath: one)
        try FileManager.default.moveItem(atPath: between, toPath: other)
    }

    private func setTimes(of path: String) throws {
        hour += 1
        let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(hour) * 3600)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    /// The kernel's clock for files advances in steps. This waits until the next change gets a different time.
    private func awaitTick(of path: String) throws {
        let before = try identity(of: path)
        repeat {
            try folder.write("", to: "tick")
        } while try identity(of: "\(folder.path)/tick").changed == before.changed
    }

    private func identity(of path: String) throws -> FileIdentity {
        try #require(RegularFile(at: path, limit: 1 << 20).identity)
    }

    private func writeResources() throws {
        let hours = "window: {from: \"08:00\", to: \"20:00\", timezone: {field: zone, default: UTC}}"
        let window = hasZones ? "delivery: {expires_after: 1d, \(hours)}" : ""
        var text = ""
        for (number, file) in (Self.names + ["l0.csv"]).enumerated() {
            text += "kind: audience\nname: a\(number)\nsource: {file: \(file)}\n"
            if hasZones, file.hasSuffix("csv") { text += "fields: {zone: {type: timezone}}\n" }
            if let filter = filters[number] {
                text += "where: {locale: [\(filter.sorted().map { "\"\($0)\"" }.joined(separator: ", "))]}\n"
            }
            if let exclude = excludes[number] { text += "exclude: [a\(exclude)]\n" }
            text += "---\n"
        }
        text += """
            kind: audience
            name: derived
            source: {from: a2}
            where: {locale: it}
            ---
            kind: audience
            name: inline
            source: {fids: [\(Registration.fid(1).rawValue), \(Registration.fid(2).rawValue)]}
            ---
            kind: topic
            name: tides
            subscribers: [a0, derived, inline]
            ---
            kind: topic
            name: winds
            subscribers: [a1, a2]
            exclude: [a3]
            ---
            kind: campaign
            name: tide
            target: {audience: a3}
            message: {notification: {title: High tide}}
            \(window)
            ---
            kind: campaign
            name: swell
            target: {audience: derived}
            message: {notification: {title: High swell}}
            \(window)
            ---
            kind: campaign
            name: few
            target: {tokens: [\(Registration.token(3).rawValue), \(Registration.token(4).rawValue)]}
            message: {notification: {title: High tide}}

            """
        try folder.write(text, to: "resources.yaml")
        let suppress = suppressed.map { "suppress: [a\($0)]\n" } ?? ""
        try folder.write("herald: 1\nproject: tide-app\nstate: state.sqlite\n\(suppress)", to: "herald.yaml")
    }

    // MARK: The state and the cache

    private func makeState() throws {
        lineage += 1
        let identity = RecordedState.Identity(
            lineage: "lineage-\(lineage)", project: "tide-app", endpoint: .emulator, created: .at(0))
        _ = try SQLiteStore.create(at: statePath, identity: identity)
    }

    private func removeState() throws {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: statePath + end) }
    }

    private func keepOrRestoreState() throws -> String {
        let backup = "\(folder.path)/backup"
        if FileManager.default.fileExists(atPath: backup) {
            try removeState()
            try FileManager.default.moveItem(atPath: backup, toPath: statePath)
            return "the state is what it was"
        }
        // When the last connection closes, SQLite leaves one file.
        try FileManager.default.copyItem(atPath: statePath, toPath: backup)
        return "a copy of the state"
    }

    private func damage() throws -> String {
        let file = ["cache", "cache-numbers"].randomElement(using: &random) ?? "cache"
        let path = "\(statePath).\(file)"
        guard var bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty else { return "nothing" }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[.random(in: bytes.indices, using: &random)] ^= 0x41
        case 1: bytes = bytes.prefix(.random(in: 0..<bytes.count, using: &random))
        case 2: bytes.append(7)
        default:
            try FileManager.default.removeItem(atPath: path)
            try folder.write("another's", to: "decoy")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder.path)/decoy")
            return "\(file) is a link"
        }
        try bytes.write(to: URL(filePath: path))
        return "\(file) damaged"
    }
}

extension Registration {
    /// A token that is its own recipient key.
    fileprivate static func keyless(_ number: Int) -> Registration {
        Registration(fid(number).rawValue + "-" + String(repeating: "x", count: 100)) ?? fid(number)
    }
}
