import HeraldCore

extension Common {
    /// How many times faster than in earnest leases on a shared state pass, so that faults can be tried quickly.
    func leaseSpeed(at endpoint: EndpointKind) throws -> Int {
        guard let text = environment["HERALD_LEASE_SPEED"], !text.isEmpty else { return 1 }
        guard endpoint == .emulator else {
            throw CommandFailure(.wrong, "HERALD_LEASE_SPEED is only for trying faults with an emulator; unset it")
        }
        guard let speed = Int(text), (1...20).contains(speed) else {
            throw CommandFailure(.wrong, "HERALD_LEASE_SPEED must be a number from 1 to 20")
        }
        return speed
    }
}
