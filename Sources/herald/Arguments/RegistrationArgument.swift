import ArgumentParser
import FCM

/// A registration on the command line; what is wrong with one is never echoed.
struct RegistrationArgument: ExpressibleByArgument {
    let value: Registration

    init?(argument: String) {
        guard let value = Registration(argument) else { return nil }
        self.value = value
    }
}
