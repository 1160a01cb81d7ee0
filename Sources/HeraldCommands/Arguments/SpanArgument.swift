import ArgumentParser
import HeraldCore

/// A span of time as workspaces write it: `250ms`, `90s`, `5m`.
struct SpanArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        guard let duration = Duration(written: argument) else { return nil }
        self.duration = duration
    }
}
