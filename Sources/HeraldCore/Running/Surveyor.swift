internal import FCM

/// Carries a survey out.
package struct Surveyor<C: Clock> where C.Duration == Duration {
    private let surroundings: Executor<C>.Surroundings
    private let options: RunOptions
    private let endpoint: EndpointKind

    package init(_ options: RunOptions, at endpoint: EndpointKind, in surroundings: Executor<C>.Surroundings) {
        (self.surroundings, self.options, self.endpoint) = (surroundings, options, endpoint)
    }

    /// - Parameters:
    ///   - state: says which API the project has.
    ///   - holder: the name under which the state is written.
    ///   - observe: called with the report about once a second.
    package func carryOut(
        _ survey: Survey, from state: RecordedState, as holder: String, observe: (SurveyReport) async -> Void
    ) async throws -> SurveyReport {
        var surroundings = surroundings
        surroundings.store = try await LeasedStore(surroundings.store, at: state.version, holder: holder)
        let runBegin = surroundings.clock.now
        var context = RunContext(
            options, capacity: surroundings.sender.capacity, random: surroundings.random,
            fingerprints: surroundings.fingerprints, recorded: state, endpoint: endpoint, began: surroundings.now())
        var step = SurveyState(survey)
        _ = await StepShell(surroundings, runBegin: runBegin).run(&step, &context, observe: observe)
        return step.report
    }
}
