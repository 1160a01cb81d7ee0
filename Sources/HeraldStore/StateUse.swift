/// What a command opens the state for.
package enum StateUse: Sendable {
    /// People look at the state itself, so that it may belong to any project and endpoint. Nothing is written.
    case inspecting
    /// Nothing is written. A state of an older herald stays as it is, and a copy of it is read.
    case reading
    /// The state may be written. A state of an older herald is upgraded first.
    case changing
}
