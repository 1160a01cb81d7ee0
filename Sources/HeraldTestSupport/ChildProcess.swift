package import Foundation
import Synchronization

/// A program that a test runs. Unlike with Foundation's `Process`, many can run at the same time: no program inherits
/// another's descriptors, and each is waited for on a thread of its own.
package final class ChildProcess: Sendable {
    /// How the program ended.
    package struct Result: Sendable {
        package var status: Int32
        /// Whether a signal ended it.
        package var wasKilled: Bool
        package var output: String
        package var errors: String
    }

    package let pid: pid_t
    private let output: Int32
    private let errors: Int32
    private let ending = Mutex<Int32?>(nil)

    package struct CannotStart: Error {
        package var program: String
        package var code: Int32
    }

    /// One at a time: a program that starts between the creation of a pipe and its close-on-exec mark would keep it
    /// open.
    private static let starting = Mutex(())

    /// Starts a program with this environment only, and with nothing to read unless a descriptor is given for that.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil
    ) throws {
        (pid, output, errors) = try Self.starting.withLock { _ in
            try Self.spawn(program, arguments, environment, input)
        }
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String], _ input: Int32?
    ) throws -> (pid: pid_t, output: Int32, errors: Int32) {
        let (output, errors) = (try pipe(), try pipe())
        defer {
            close(output.write)
            close(errors.write)
        }
        #if os(Linux)
            var actions = posix_spawn_file_actions_t()
        #else
            var actions: posix_spawn_file_actions_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output.write, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
        #if os(Linux)
            var attributes = posix_spawnattr_t()
        #else
            var attributes: posix_spawnattr_t?
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The tests may run in the background or under nohup, where some signals are ignored.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGHUP, SIGINT, SIGTERM] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let argv = ([program] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, program, &actions, &attributes, argv, envp)
        guard code == 0 else {
            close(output.read)
            close(errors.read)
            throw CannotStart(program: program, code: code)
        }
        return (pid, output.read, errors.read)
    }

    deinit {
        close(output)
        close(errors)
    }

    /// Runs a program until it ends.
    package static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Result {
        try await ChildProcess(program, arguments, environment: environment).wait()
    }

    package func signal(_ number: Int32) {
        // Once the process was waited for, its ID may belong to another.
        ending.withLock { ending in
            if ending == nil { _ = kill(pid, number) }
        }
    }

    /// Blocks until the program ends, and returns its exit status. Only for programs that end soon and print little.
    package func waitUntilEnd() -> Int32 { (reap() >> 8) & 0xff }

    /// Reads the output until the program ends.
    package func wait() async -> Result {
        async let output = Self.text(from: output)
        async let errors = Self.text(from: errors)
        let (text, problems) = await (output, errors)
        let status = await Self.blocking { self.reap() }
        let signal = status & 0x7f
        return Result(
            status: signal == 0 ? (status >> 8) & 0xff : signal, wasKilled: signal != 0, output: text, errors: problems)
    }

    /// The next line of standard output, without the line break.
    package func firstLine() async -> String { await Self.blocking { self.readLine() } }

    /// The next line of standard error, without the line break.
    package func errorLine() async -> String { await Self.blocking { Self.line(from: self.errors) } }

    /// Blocks until the program has printed a line.
    package func readLine() -> String { Self.line(from: output) }

    private static func line(from descriptor: Int32) -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    private func reap() -> Int32 {
        if let known = ending.withLock({ $0 }) { return known }
        var information = siginfo_t()
        // Waits without reaping, so that a signal sent meanwhile still goes to the right process.
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return ending.withLock { ending in
            var status: Int32 = 0
            if ending == nil { while waitpid(pid, &status, 0) < 0, errno == EINTR {} }
            let known = ending ?? status
            ending = known
            return known
        }
    }

    private static func text(from descriptor: Int32) async -> String {
        await blocking {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes += buffer[..<count]
            }
        }
    }

    /// Runs blocking calls on a thread of their own, since tasks share only a few threads.
    private static func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    /// Both ends are closed in every program that is started, except the end that is handed to it.
    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Foundation.pipe(&ends) == 0 else { throw CannotStart(program: "pipe", code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
