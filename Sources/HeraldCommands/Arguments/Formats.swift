import ArgumentParser
import FCM
import HeraldCore

// The raw values of the core's formats are the names that people type.
extension OutputFormat: ExpressibleByArgument {}
extension PlanFormat: ExpressibleByArgument {}
extension StatusFormat: ExpressibleByArgument {}
extension PreviewFormat: ExpressibleByArgument {}
extension CalendarFormat: ExpressibleByArgument {}
extension DriftFormat: ExpressibleByArgument {}
extension ReportFormat: ExpressibleByArgument {}
extension DiagnosticsFormat: ExpressibleByArgument {}
extension ListPolicy: ExpressibleByArgument {}
extension Platform: ExpressibleByArgument {}
