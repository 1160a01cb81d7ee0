import Foundation

/// The CPU time that this thread needs for some work. A wall clock would also count other tests and programs, so that a
/// limit on it would fail on a busy machine.
package func computingTime(of work: () throws -> Void) rethrows -> Duration {
    let begin = threadTime()
    try work()
    return threadTime() - begin
}

private func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
