/// How a command ends. docs/explanation/promises.md#exit-codes says what each means.
enum ExitStatus: Hashable {
    case done, wrong, changes, refused, failed, locked, unknown, stalePlan, usage
    /// A signal ended it, after a clean drain.
    case interrupted(signal: Int32)

    var code: Int32 {
        switch self {
        case .done: 0
        case .wrong: 1
        case .changes: 2
        case .refused: 3
        case .failed: 4
        case .locked: 5
        case .unknown: 6
        case .stalePlan: 7
        case .usage: 64
        case .interrupted(let signal): 128 + signal
        }
    }
}
