import Foundation
import HeraldTestSupport

/// The built program, run as a user runs it.
struct HeraldProcess {
    /// What a command left behind.
    struct Result {
        var status: Int32
        /// Whether a signal ended it.
        var wasKilled: Bool
        var output: String
        var errors: String
    }

    let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    /// The program lies beside the test bundle.
    static let program: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let tests = bundle ?? URL(filePath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appending(path: "herald")
    }()

    /// Starts `herald ARGUMENTS` with nothing of this process's environment that herald would heed.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = Self.program
        process.arguments = arguments
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "TMPDIR"].contains($0.key) }
        process.environment = inherited.merging(environment) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    func wait() async -> Result {
        async let out = Self.read(output)
        async let err = Self.read(errors)
        let (text, problems) = await (out, err)
        // Both pipes are closed: the process has ended or is about to.
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal, output: text,
            errors: problems)
    }

    /// The first line it prints.
    func firstLine() async -> String {
        await Self.blocking {
            var line: [UInt8] = []
            while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") {
                line.append(byte)
            }
            return String(decoding: line, as: UTF8.self)
        }
    }

    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Result {
        try await HeraldProcess(arguments, environment: environment).wait()
    }

    private static func read(_ pipe: Pipe) async -> String {
        await blocking { String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
    }

    /// Reading a pipe blocks; that is for a thread of its own.
    private static func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
