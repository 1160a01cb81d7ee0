import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// The one way to open a state for code that does not care how it is stored.
@Suite struct StateLocationTests {
    private let folder: TemporaryFolder
    private let location: any StateLocation

    init() throws {
        folder = try TemporaryFolder([:])
        location = Self.location(in: folder)
    }

    private static func location(
        in folder: TemporaryFolder, project: String = "p", _ endpoint: EndpointKind = .emulator
    ) -> any StateLocation {
        StateFile(
            path: "\(folder.path)/st/state.sqlite",
            StateBinding(project: project, endpoint: endpoint, workspace: nil)
        ) { _ in }
    }

    @Test func `a state that is missing is no failure unless it is needed, and nothing is made`() async throws {
        #expect(try await location.openIfPresent(for: .reading) == nil)
        await #expect(throws: StateError.missing(path: location.name)) { try await location.require() }
        await #expect(throws: StateError.missing(path: location.name)) { try await location.open(for: .changing) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `a state is made once, and opened by whoever it is bound to`() async throws {
        let identity = location.newIdentity(created: Date(timeIntervalSince1970: 0))
        #expect(identity.project == "p")
        #expect(identity.endpoint == .emulator)
        _ = try await location.create(identity)
        #expect(try await location.open(for: .changing).snapshot().identity == identity)
        try await location.require()
        await #expect(throws: StateError.self) { try await location.create(identity) }
        for other in [Self.location(in: folder, project: "q"), Self.location(in: folder, .fcm)] {
            let error = await #expect(throws: StateError.self) { try await other.openIfPresent(for: .reading) }
            guard case .bound? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test func `two states made for one project are two`() {
        let now = Date(timeIntervalSince1970: 0)
        #expect(location.newIdentity(created: now).lineage != location.newIdentity(created: now).lineage)
    }

    @Test func `while one holds the lock, another is told who does`() async throws {
        let lock = try await location.lock(for: "first")
        await lock.hold {
            let error = await #expect(throws: StateError.self) { try await location.lock(for: "second") }
            guard case .locked(_, let holder)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(holder.hasPrefix("run first "))
        }
    }

    @Test func `reports are kept beside the state`() {
        #expect(location.reports == "\(folder.path)/st/runs")
    }
}
