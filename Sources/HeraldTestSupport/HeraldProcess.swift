import Foundation

/// The built program, run as a user runs it. It gets nothing from this process's environment that herald reads, and looks
/// for no metadata server unless a test wants that.
package enum HeraldProcess {
    /// The program is beside the test bundle.
    package static let program: String = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let tests = bundle ?? URL(filePath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appending(path: "herald").path
    }()

    /// - Parameter terminal: where it asks questions. Without one it has nothing to read.
    package static func start(
        _ arguments: [String], environment: [String: String] = [:], at terminal: TestTerminal? = nil
    ) throws -> ChildProcess {
        var inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "TMPDIR"].contains($0.key) }
        inherited["NO_GCE_CHECK"] = "true"
        return try ChildProcess(
            program, arguments, environment: inherited.merging(environment) { _, new in new },
            input: terminal?.end)
    }

    package static func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        try await start(arguments, environment: environment).wait()
    }
}
