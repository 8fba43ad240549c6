/** What follows the generated part of `holdfast --help`. */
export const mainHelp = `
The server is named by --url, else by HOLDFAST_REDIS_URL, else it is redis://127.0.0.1:6379:
  redis://[user:password@]host[:port][/db]         one server; rediss:// for TLS
  redis-cluster://host:port,host:port/             a Cluster, by some of its nodes; rediss-cluster:// for TLS
  redis-sentinel://host:port,host:port/group[/db]  what Sentinels watch; ?sentinelPassword=… where they want one
Others on this machine can see a command line: put a URL with a password into HOLDFAST_REDIS_URL.

Examples:
  holdfast run nightly-report -- ./report.sh       run it, but only one at a time in the whole fleet
  holdfast run -n sync -- rsync -a src/ dst/       skip it if it is running already (exit code 75)
  holdfast ls 'invoice:*'                          who holds what
  holdfast inspect nightly-report                  one lock in detail
  holdfast unlock --force nightly-report           free it over its holder's head

Exit codes:
  0    done                     75   the lock is busy (run; see -E)
  1    unlock: declined         76   the lock was lost while the command ran (run)
  64   wrong usage              77   the server refuses the user or the command
  65   the key is no lock       126  the command cannot be executed (run)
  69   Redis cannot be reached  127  the command was not found (run)
  70   internal error           128+n  ended by signal n
  74   the results could not be written

--json writes results to standard output, one object a line, and messages and errors to standard error likewise
(an error is {"error":{"code","message","lock","exitCode"}}). Fields may be added, but keep name and meaning.
HOLDFAST_DEBUG=1 adds stack traces to errors. NO_COLOR=1 turns colours off.`

export const runHelp = `
The words after -- are the command and its arguments; no shell looks at them, unless you use -c. It has this program's standard
streams, and sees
  HOLDFAST_LOCK        the lock's name
  HOLDFAST_OWNER       who holds it, as inspect shows it
  HOLDFAST_EXPIRES_AT  when its lease ends (ISO 8601); without --lease the lease is renewed for as long as the command runs,
                       and this is its first end
  HOLDFAST_FENCE       with --shared or --exclusive: the fencing token, greater for each new writer

Kinds of locks; at most one of them:
  --fair           the same lock as without it, but whoever has waited longest is next, if all use --fair
  -s, --shared     beside others that use --shared, never beside --exclusive
  -x, --exclusive  alone among those that use --shared or --exclusive. Both take a read-write lock, which is another lock
                   than the one of that name that is taken without them
  --permits N      takes N permits of a semaphore. --of M sets how many there are, if that is not set yet; one that is
                   set stays as it is. Without a number set, and without --of, the exit code is 65

Signals are passed on to the command, each once; TERM, INT, HUP and QUIT to all it has started. If one of them ended it, the lock is
held until all of that has ended; what is left after --grace is killed. While waiting for the lock, and while it is given back,
they end the wait; a second one ends the program at once.

When the lock is lost, or cannot be renewed and is about to be, the command and all it has started is sent TERM and, at the end
of --grace, KILL. That is over before the lease is. With --lease that happens at the end of the lease, and that somebody has
forced the lock open is noticed only when the command ends.

Examples:
  holdfast run backup -- pg_dump -f /backup/db.sql shop
  holdfast run backup -w 10 -- ./backup.sh          give up after 10 seconds (exit code 75)
  holdfast run backup -n -E 0 -- ./backup.sh        running elsewhere is fine: exit code 0
  holdfast run backup --lease 600 -- ./backup.sh    never longer than ten minutes
  holdfast run backup -c 'dump | gzip > dump.gz'    a shell command
  holdfast run catalogue -s -- ./export.sh          any number of these, while nobody runs with -x
  holdfast run convert --permits 1 --of 4 -- ./convert.sh   four at a time in the whole fleet

Exit codes: the command's own, 128+n if signal n ended it; else
  64 wrong usage   65 the key is no lock, or no permits are set   69 Redis cannot be reached
  75 busy (-E changes it)   76 lock lost   77 permission   126 not executable   127 not found

--json writes what happens as lines to standard error: {"event","message","lock",…}, with events waiting, acquired (owner,
waitedMs), suspended, lost, killed, not-started, not-released, aborted and ended (exitCode). Standard output is the command's.

Under nohup, write: holdfast run NAME -- nohup command. If holdfast itself is killed with KILL, the command goes on unguarded.`

const lockFields = `{"name","kind","locked","owners":[{"owner","holds"}],"remainingMs"}; remainingMs is null if the lease has no end`

export const lsHelp = `
PATTERN is a glob over names: * ? [a-z]; quote it, or the shell will take it. The key space is scanned step by step, which holds
up nobody. Redisson's locks are shown too.

All kinds of locks are shown. Two look like any other number in Redis, and are shown only where something tells: semaphores
of which nobody but Redisson holds permits, and latches, if somebody waits for them.

Examples:
  holdfast ls
  holdfast ls 'invoice:*' --json | jq -r .name

--json writes one line for each lock:
  ${lockFields}.
Where the kind has it: "mode" (read, write), "fence" (the last token, a text), "available" (permits), "count" (of a latch).
The kinds: "lock", "fair lock", "fenced lock", "read-write lock", "semaphore", "permit-expirable semaphore", "count-down latch".`

export const inspectHelp = `
Shows who holds the lock and how often, how long the lease still runs, and how many clients wait. A process that waits in many
places counts once. Of fair and read-write locks also who stands in line, first come first; of semaphores how many permits are
available; of fenced and read-write locks the last token; of latches the count. Several locks of one name are shown one
after another. Plain, fair and fenced locks are one lock: fair is one that has a line, fenced one that ever gave a token.

--json writes one line for each:
  the fields of ls, "waitingClients" (null if the server does not let us count), and "line":[{"owner","mode"?}].
kind is null if nothing is there; "semaphore or latch" is a "number" of which nothing tells what it is.`

export const watchHelp = `
On a terminal the picture is drawn anew at each look; elsewhere a line is written for each change of holder, holds or waiting
clients. Time running down is no change. Ends with Ctrl-C.

Examples:
  holdfast watch nightly-report
  holdfast watch nightly-report --json --count 2 --interval 0.2

--json writes one line for each change: the fields of inspect, and "at" (ISO 8601).`

export const unlockHelp = `
For locks whose holder is dead and whose lease is long, or without end. The holder is not asked: if its work is still running,
it goes on until it notices. On a terminal you are asked first; elsewhere --yes is wanted.

Examples:
  holdfast unlock --force nightly-report
  holdfast unlock --force --yes nightly-report

Of a fair lock the next in line gets it. Of a semaphore all permits that are held come back; those that Redisson's RSemaphore took
are not known. A latch is opened. Where several locks have the name, --kind says which one; it is wanted too to open a latch
that could as well be a semaphore.

A lock that was free is no error. --json writes one line:
  {"name","kind","unlocked","owners":[{"owner","holds"}]}; unlocked is false if the lock was free, owners are who held it.`
