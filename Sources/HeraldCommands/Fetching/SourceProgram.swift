import Foundation

/// Runs a program and writes what it prints to a file. It has its own process group, which has ended when this returns.
struct SourceProgram {
    enum Problem: Error, Hashable {
        case start, status(Int32), signal(Int32), timeout, tooLarge, write
        case stopped(Int32)
    }

    /// Absolute.
    let program: String
    let arguments: [String]
    let environment: [String: String]
    /// The folder that it works in.
    let folder: String

    /// No list is larger, in bytes.
    static let limit = 4 << 30

    /// - Parameters:
    ///   - file: open for writing.
    ///   - signal: the signal that asked herald to stop; 0 if none did.
    func run(into file: Int32, within timeout: Duration, signal: () -> Int32) throws(Problem) {
        let (pid, output) = try start()
        let end = ContinuousClock.now + timeout
        defer { close(output) }
        do {
            try copy(from: output, to: file) { () throws(Problem) in try Self.check(end, signal()) }
            // It may close its output long before it ends.
            while !Self.hasEnded(pid) {
                try Self.check(end, signal())
                usleep(10_000)
            }
        } catch {
            _ = Self.end(pid)
            throw error
        }
        let status = Self.end(pid)
        if status & 0x7f != 0 { throw .signal(status & 0x7f) }
        if status != 0 { throw .status((status >> 8) & 0xff) }
    }

    private static func check(_ end: ContinuousClock.Instant, _ signal: Int32) throws(Problem) {
        if signal != 0 { throw .stopped(signal) }
        if ContinuousClock.now >= end { throw .timeout }
    }

    private func copy(from output: Int32, to file: Int32, check: () throws(Problem) -> Void) throws(Problem) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var size = 0
        while true {
            try check()
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 100) > 0 else { continue }
            let count = read(output, buffer.baseAddress, buffer.count)
            if count == 0 { return }
            if count < 0 {
                if errno == EINTR { continue }
                throw .write
            }
            size += count
            if size > Self.limit { throw .tooLarge }
            var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            while !rest.isEmpty {
                let written = write(file, rest.baseAddress, rest.count)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw .write }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }

    /// Whether the program has ended. It is not reaped, so that its number stays its own.
    private static func hasEnded(_ pid: pid_t) -> Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo == SIGCHLD
    }

    /// Ends the whole group, and returns how the program ended.
    private static func end(_ pid: pid_t) -> Int32 {
        kill(-pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status
    }

    #if os(Linux)
        private typealias Actions = posix_spawn_file_actions_t
    #else
        private typealias Actions = posix_spawn_file_actions_t?
    #endif

    /// Lets the program begin in a folder. `false` if the system cannot.
    private static func addFolder(_ folder: String, to actions: inout Actions) -> Bool {
        // glibc and musl have this call, but their headers hide it from Swift.
        typealias Call = @convention(c) (UnsafeMutablePointer<Actions>, UnsafePointer<CChar>) -> Int32
        let system = dlopen(nil, RTLD_NOW)
        defer { if let system { dlclose(system) } }
        guard let symbol = dlsym(system, "posix_spawn_file_actions_addchdir_np") else { return false }
        return unsafeBitCast(symbol, to: Call.self)(&actions, folder) == 0
    }

    private func start() throws(Problem) -> (pid: pid_t, output: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .start }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if os(Linux)
            var (actions, attributes) = (Actions(), posix_spawnattr_t())
        #else
            var (actions, attributes): (Actions, posix_spawnattr_t?)
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        guard Self.addFolder(folder, to: &actions) else {
            close(ends[0])
            throw .start
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        // What it complains about may name a password or a person.
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGHUP, SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP))
        let argv = ([program] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var pid: pid_t = 0
        guard posix_spawn(&pid, program, &actions, &attributes, argv, envp) == 0 else {
            close(ends[0])
            throw .start
        }
        return (pid, ends[0])
    }
}
