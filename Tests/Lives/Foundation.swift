// Every file of the module sees it. On Linux the essentials spare the program ICU.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
