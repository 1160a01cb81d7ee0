import ArgumentParser

/// How many recipients of each campaign a dry run checks: a number, or `all`.
struct SampleArgument: ExpressibleByArgument {
    static let usual = 100

    let count: Int

    init?(argument: String) {
        guard let count = argument == "all" ? Int.max : Int(argument), count > 0 else { return nil }
        self.count = count
    }
}
