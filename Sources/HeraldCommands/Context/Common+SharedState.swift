import HeraldCore

/// What the environment says of a state that several processes share.
extension Common {
    /// The database with the state of the runs that a worker helps.
    func sharedState(schema: String) throws -> PostgresSettings {
        let address = environment["HERALD_STATE", default: ""]
        guard PostgresSettings.isAddress(address) else {
            throw CommandFailure(
                .wrong, "HERALD_STATE names no database, so this worker shares no state with a run",
                help: "set HERALD_STATE to postgresql://USER@HOST/DATABASE, as the runs have it")
        }
        var database = PostgresSettings(address: address)
        database.schema = schema
        return database
    }

    /// How many times faster than usual the leases of a shared state end, so that faults can be tried quickly.
    func leaseSpeed(at endpoint: EndpointKind) throws -> Int {
        guard let text = environment["HERALD_LEASE_SPEED"], !text.isEmpty else { return 1 }
        guard endpoint == .emulator else {
            throw CommandFailure(
                .wrong, "HERALD_LEASE_SPEED is only for trying faults with an emulator", help: "unset it")
        }
        guard let speed = Int(text), (1...20).contains(speed) else {
            throw CommandFailure(
                .wrong, "HERALD_LEASE_SPEED is not a number from 1 to 20", help: "set it to one, or unset it")
        }
        return speed
    }
}
