import ArgumentParser
import FCM
import HeraldCore

// The names that documents' forms have in the core are those that people write.
extension OutputFormat: ExpressibleByArgument {}
extension PlanFormat: ExpressibleByArgument {}
extension ReportFormat: ExpressibleByArgument {}
extension DiagnosticsFormat: ExpressibleByArgument {}
extension ListPolicy: ExpressibleByArgument {}
extension Platform: ExpressibleByArgument {}
