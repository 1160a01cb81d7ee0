import ArgumentParser
import FCM

/// A registration on the command line. Errors never repeat what was typed: it may be a real token.
struct RegistrationArgument: ExpressibleByArgument {
    let value: Registration

    init?(argument: String) {
        guard let value = Registration(argument) else { return nil }
        self.value = value
    }
}
