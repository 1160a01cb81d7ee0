// Preloaded into a herald, this library watches what it does to the files of its state, and lets one of those calls go
// wrong. It has no interface but the environment:
//
// RECORD_FAULTS_PATH    The state's path. Calls on files whose path begins with it are counted from 1: those that make,
//                       write, cut, sync, link, rename or remove one, and those that sync the folder it lies in.
// RECORD_FAULTS_TRACE   A file to which each of them is added as a line, before it is made.
// RECORD_FAULTS         What happens, and at which call:
//                       kill-before N, kill-within N (half of what is written is), kill-after N: SIGKILL
//                       full N, full-once N: no space left; full-torn N: half of what is written still has room
//                       broken N, broken-once N: an input/output error, also where something is synced
//                       signal N NUMBER: a signal to the process itself; signal N NUMBER PID: to another
//                       clock N SECONDS: the time of day is ahead by so much, or behind, from then on
//
// Without RECORD_FAULTS_PATH, and on other systems than Linux, it does nothing.
