internal import FCM

/// How failures are shown. They never contain a registration, unless the user asked to reveal them.
extension RunContext {
    func entry(
        of addressee: Addressee, _ failure: Failure, attempts: Int, _ action: Report.Failure.Action
    ) -> Report.Failure {
        let (code, message) = redacted(failure, addressee)
        return Report.Failure(
            registration: addressee.registration.map { fingerprints.name($0) }, code: code,
            httpStatus: failure.httpStatus, message: message, attempts: attempts, action: action)
    }

    func redacted(_ failure: Failure, _ addressee: Addressee) -> (code: String, message: String) {
        guard let registration = addressee.registration else { return (failure.code, failure.message) }
        return (fingerprints.redact(failure.code, registration), fingerprints.redact(failure.message, registration))
    }
}
