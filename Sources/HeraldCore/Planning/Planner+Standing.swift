/// The guards that refuse everything: the state or the files are not what the last run left.
extension Planner {
    /// - Parameter reported: the serial that the newest report says was committed.
    mutating func checkAge(_ reported: Int64) {
        guard state.serial < reported else { return }
        refuse(
            .stateWentBack, "", limit: Int(reported), actual: Int(state.serial),
            "the state has serial \(state.serial), and a report beside it says that \(reported) was committed: it looks "
                + "like a restored backup, and what was sent since would be sent again")
    }

    mutating func refuseMoved() {
        refuse(
            .stateMoved, "", limit: 0, actual: 1,
            "the state is in another server, database or schema than at the last run: if it is a copy, both would send the same"
        )
    }

    mutating func checkFiles(_ checkout: Checkout) {
        guard let age = checkout.age(comparedWith: state.commits) else { return }
        refuse(.olderFiles, "", limit: 0, actual: 1, "\(age): memberships and schedules would go back")
    }
}
