import HeraldCore

/// Why a list was not fetched. The last one is still there.
enum FetchProblem: Error {
    case notAllowed(program: String)
    case variableNotAllowed(String)
    case variableNotSet(String)
    case program(SourceProgram.Problem, within: Duration)
    case flaw(FetchedList.Flaw)
    case unwritable

    var description: String {
        switch self {
        case .notAllowed(let program): "this machine does not allow the program '\(program)'"
        case .variableNotAllowed(let name): "this machine does not allow the variable '\(name)'"
        case .variableNotSet(let name): "the variable '\(name)' is not set"
        case .program(let problem, let limit): problem.words(within: limit)
        case .flaw(let flaw): "what came cannot be used: \(flaw.description)"
        case .unwritable: "the list cannot be written"
        }
    }

    var help: String {
        switch self {
        case .notAllowed: "add its absolute path to HERALD_ALLOW_COMMANDS, if it may run here"
        case .variableNotAllowed: "add it to HERALD_SOURCE_VARS, if the program may have it"
        case .variableNotSet: "set it, or take it out of 'env'"
        case .program(.timeout, _): "make the query faster, or 'timeout' in 'fetch' longer"
        case .program: "run the program by hand with the variables of 'env' only: herald does not show its messages"
        case .flaw: "correct the query; plans go on with the last list that could be used"
        case .unwritable: "check the space on the disk, and who may write to \(FetchedList.folder)"
        }
    }

    /// The signal that asked herald to stop.
    var signal: Int32? { if case .program(.stopped(let signal), _) = self { signal } else { nil } }
}

extension SourceProgram.Problem {
    fileprivate func words(within limit: Duration) -> String {
        switch self {
        case .start: "the program cannot be started"
        case .status(let status): "the program ended with status \(status)"
        case .signal(let signal): "signal \(signal) ended the program"
        case .timeout: "the program took longer than \(limit.written)"
        case .tooLarge: "the program printed more than 4 GiB"
        case .write: "the list cannot be written"
        case .stopped: "a signal stopped the fetch"
        }
    }
}
