/// The account of a survey.
package struct SurveyReport: Hashable, Sendable {
    /// How many registrations were to be asked for.
    package internal(set) var planned: Int
    package internal(set) var figures = SurveyFigures()
    /// All requests: one for each registration, and those below.
    package internal(set) var requests = 0
    /// Requests for a registration that differed, to see whether it still does.
    package internal(set) var askedAgain = 0
    /// Requests for a page after the first one.
    package internal(set) var pages = 0
    /// Requests that were made again because of a failure.
    package internal(set) var retries = 0
    /// Those who follow the topic that is taken in.
    package internal(set) var following = RecipientSet()
    package internal(set) var duration: Duration = .zero
    /// Why it ended before everybody was asked for. The first reason counts.
    package private(set) var end: End?

    package enum End: Hashable, Sendable {
        case interrupted
        /// No other question would be answered either, or the state cannot be written.
        case impossible(String)
    }

    package init(planned: Int) { self.planned = planned }

    /// Those of whom nothing is known.
    package var pending: Int { planned - figures.asked.count }

    /// Adds what came of some of the dead, who were asked for by another registration.
    package mutating func add(_ later: SurveyReport) {
        figures.add(later.figures)
        (requests, askedAgain) = (requests + later.requests, askedAgain + later.askedAgain)
        (pages, retries) = (pages + later.pages, retries + later.retries)
        following.formUnion(later.following)
        duration += later.duration
        if let end = later.end { stop(end) }
    }

    mutating func stop(_ end: End) { self.end = self.end ?? end }
}
