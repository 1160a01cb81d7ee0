// This makes Foundation visible in every file of the module. On Linux, FoundationEssentials keeps ICU out of the
// program.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
