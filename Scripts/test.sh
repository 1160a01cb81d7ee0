#!/usr/bin/env bash
# Runs every test of a build that is there, in several lines at the same time. In each, one test runs after the other.
# Tests that only compute are in as many lines as there are cores, with the lowest priority. Side by side in one process
# each would last as long as all of them, and deadlines within them would pass. Tests that talk to a server or start
# programs are in two lines more, and get the time they need. Those that end programs at many points mostly wait for them,
# so they are a line of their own.
# Arguments: options for swift test.
set -euo pipefail
cd "$(dirname "$0")/.."

# The tests that run one after the other. Tests/ArchitectureTests holds it against the tests.
serial='^(FCMClientTests|heraldTests)\.|^HeraldCoreTests\.MistakenCommandTests/|^HeraldStoreTests\.(Crew|CrewEnd|CrewFence|CrewRate|CrewRow|PersonalCrew|PostgresFault|RunLease|StateDatabase|TakeOver|Failover|FailoverEnd|ThreadEnd|Migration|StateCopy)Tests/|^FCMEmulatorTests\.(Access|Departures|Event|FaultServing|FaultStream|KeptDevices|SecureServer|Server)Tests/'

# Those of them that are sweeps: over points at which a program ends, over faults, over commands. Both lines should take
# about as long.
sweeping='^HeraldCoreTests\.MistakenCommandTests/|^heraldTests\.(Work|CredentialFault|CredentialRun|LostChanges|Password|SharedLife|Fault|SharedSweep|SharedServer|StateCopyCommand|CrashSweep|Crash|MembershipCrash|UpgradeSweep|ApprovalCommand|Review|ReviewSafety|Signal|State|StateKeeping|Snapshot|ExitStatus|Secrecy)Tests/'

work="$(mktemp -d)"
computing=()
serials=
sweeps=
end() {
    for group in ${computing[@]+"${computing[@]}"} $serials $sweeps; do
        kill "$group" 2>/dev/null || true
        wait "$group" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap end EXIT

# Where the tests are one program (on Linux), it is started itself: swift test plans the build anew each time.
program="$("${SWIFT:-swift}" build "$@" --show-bin-path)/heraldPackageTests.xctest"
if [ -f "$program" ]; then
    # It colours what goes into a pipe, and the lines below look for plain text.
    tests=(env NO_COLOR=1 "$program" --testing-library swift-testing)
    list=("${tests[@]}" --list-tests)
else
    # They all read one build, so none needs to wait for the lock of another.
    options=(--skip-build --ignore-lock --disable-xctest "$@")
    tests=("${SWIFT:-swift}" test "${options[@]}")
    list=("${SWIFT:-swift}" test list "${options[@]}")
fi

# Returns once the tests whose output is in that file have begun, or their process is gone. Until then swift test holds
# the build's database, and another swift test that wants it fails.
await() {
    while kill -0 "$2" 2>/dev/null && ! grep -q 'Test run started' "$1" 2>/dev/null; do sleep 0.1; done
}

"${list[@]}" >"$work/all"
all="$(($(wc -l <"$work/all")))"
# Dispatch sets the niceness of its threads anew where it may, so on Linux the scheduling class says it.
lowest=(nice -n 19)
! chrt --idle 0 true 2>/dev/null || lowest=(chrt --idle 0)
nice -n 5 "${tests[@]}" --no-parallel --filter "$sweeping" >"$work/sweeping" 2>&1 &
sweeps=$!
await "$work/sweeping" "$sweeps"
mkfifo "$work/shown"
tee "$work/serial" <"$work/shown" &
shown=$!
"${tests[@]}" --no-parallel --filter "$serial" --skip "$sweeping" >"$work/shown" 2>&1 &
serials=$!
await "$work/serial" "$serials"
# Last, because these get the least time. Of N lines, each takes every Nth suite.
groups=(serial sweeping)
lines="$(getconf _NPROCESSORS_ONLN)"
for ((line = 0; line < lines; line++)); do
    suites="$(grep -vE "$serial" "$work/all" | cut -d / -f 1 | sort -u \
        | awk -v line="$line" -v lines="$lines" 'NR % lines == line' | paste -s -d '|' - | sed 's/\./\\./g')"
    group="computing-$((line + 1))"
    "${lowest[@]}" "${tests[@]}" --no-parallel --filter "^($suites)/" >"$work/$group" 2>&1 &
    computing+=($!)
    groups+=("$group")
    await "$work/$group" "${computing[line]}"
done
failed=
wait "$serials" || failed+=" serial ended with $?."
serials=
wait "$shown"
wait "$sweeps" || failed+=" sweeping ended with $?."
sweeps=
cat "$work/sweeping"
for line in "${!computing[@]}"; do
    wait "${computing[line]}" || failed+=" computing-$((line + 1)) ended with $?."
    cat "$work/computing-$((line + 1))"
done
computing=()

# Each said how many tests it ran; together that must be all there are.
ran="$(cd "$work" && sed -nE 's/^.*Test run with ([0-9]+) tests? .*$/\1/p' "${groups[@]}" | awk '{ n += $1 } END { print n + 0 }')"
echo
for group in "${groups[@]}"; do
    echo "$group: $(grep 'Test run with' "$work/$group" || echo 'did not end')"
done
if [ -n "$failed" ] || [ "$ran" != "$all" ]; then
    # Once more, and last: whoever sees only the end of the output must see what failed.
    for group in "${groups[@]}"; do
        if grep -q 'Test run with' "$work/$group"; then
            grep -A 12 'recorded an issue' "$work/$group" | grep -vE '^(--$|[✔◇])' | cut -c 1-600 | head -n 60 || true
        else
            echo "$group ended like this:"
            tail -n 20 "$work/$group" | cut -c 1-600
        fi
    done
    # A signal's number is added to 128.
    echo "$ran of $all tests ran;$failed The lines above say what failed." >&2
    exit 1
fi
echo "All $all tests passed."
