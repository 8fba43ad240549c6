/** The text after the generated part of `holdfast --help`. */
export const mainHelp = `
--url names the server, or else HOLDFAST_URL or HOLDFAST_REDIS_URL. Where none is named, the locks are in a file of this user,
which the processes of this machine share (holdfast/locks.db in the folder for state), and need no server:
  redis://[user:password@]host[:port][/db]         one server; rediss:// for TLS
  redis-cluster://host:port,host:port/             a Cluster, by one or more of its nodes; rediss-cluster:// for TLS
  redis-sentinel://host:port,host:port/group[/db]  a group that Sentinels watch; ?sentinelPassword=… if they require one
  postgres://user:password@host/database           PostgreSQL; mysql:// for MySQL and MariaDB. See: holdfast schema --help
  etcd://[user:password@]host:port,host:port       etcd, by one or more of its servers; etcds:// for TLS; ?prefix=… of its keys
  zk://[user:password@]host:port,host:port/root    ZooKeeper, by its servers; zks:// for TLS; the root node is /holdfast by default
  memcached://[user:password@]host:port,host:port  all servers that share the locks; memcacheds:// for TLS. No ls there
  postgres+advisory://…, mysql+get-lock://…        the server's own locks: see docs/postgres.md and docs/mysql.md. No ls there
  sqlite:path                                      a file
Other users of this machine can see command lines: put a URL with a password into HOLDFAST_URL.

Examples:
  holdfast run nightly-report -- ./report.sh       run it, one at a time in the whole fleet
  holdfast run -n sync -- rsync -a src/ dst/       skip it if it is already running (exit code 75)
  holdfast ls 'invoice:*'                          list the locks that are held, and their owners
  holdfast inspect nightly-report                  show one lock in detail
  holdfast unlock --force nightly-report           free it without its holder's consent

Exit codes:
  0    done                     74   the results could not be written
  1    unlock: declined         75   the lock is busy (run; see -E)
  2    deadlocks: there is one  76   the lock was lost while the command ran (run)
  64   wrong usage              77   the server refuses the user or the command
  65   the key is not a lock    126  the command cannot be executed (run)
  69   no answer of the server  78   a library is not installed, or Node too old for SQLite
  70   internal error           127  the command was not found (run)
                                128+n  ended by signal n

--json writes results to standard output, one object per line, and messages and errors to standard error in the same way
(an error is {"error":{"code","message","lock","exitCode"}}). Later versions may add fields, but never rename one or change its meaning.
HOLDFAST_DEBUG=1 adds stack traces to errors. NO_COLOR=1 turns colours off.`

export const runHelp = `
The words after -- are the command and its arguments; no shell reads them unless you use -c. The command has this program's
standard streams, its environment without HOLDFAST_URL, HOLDFAST_REDIS_URL and HOLDFAST_UI_TOKEN, and these variables:
  HOLDFAST_LOCK        the lock's name
  HOLDFAST_OWNER       the owner that holds it, as inspect shows it
  HOLDFAST_EXPIRES_AT  the end of its lease (ISO 8601); without --lease, Holdfast renews the lease while the command runs,
                       and this is the end of the first lease
  HOLDFAST_SERVER      where the lock is, without user and password
  HOLDFAST_FENCE       with --shared or --exclusive: the fencing token, greater for each new writer

Kinds of locks; use at most one of these:
  --fair           the same lock as without it, but the run that has waited longest is next, if all use --fair
  -s, --shared     at the same time as others with --shared, never with --exclusive
  -x, --exclusive  alone among the runs with --shared or --exclusive. Both take a read-write lock, which is not the lock
                   that a run of that name takes without them
  --permits N      takes N permits of a semaphore. --of M sets the number of permits if it is not set yet, and never
                   changes it. If no number is set and there is no --of, the exit code is 65

The program passes each signal on to the command once; TERM, INT, HUP and QUIT also to every process that it has started. If one
of these ends the command, the program holds the lock until all of these processes have ended, and kills the rest after --grace.
While the program waits for the lock, or releases it, such a signal ends the wait; a second one ends the program at once.

If the lock is lost, or cannot be renewed and is about to be lost, the program sends TERM to the command and every process that it
has started and, at the end of --grace, KILL: all before the lease ends. With --lease that happens at the end of the lease; if the
lock was forced open, the program then notices that only when the command ends.

Examples:
  holdfast run backup -- pg_dump -f /backup/db.sql shop
  holdfast run backup -w 10 -- ./backup.sh          give up after 10 seconds (exit code 75)
  holdfast run backup -n -E 0 -- ./backup.sh        running elsewhere is fine: exit code 0
  holdfast run backup --lease 600 -- ./backup.sh    never longer than ten minutes
  holdfast run report -n -E 0 --at-least 30 -- ./report.sh
                                                    from the crontabs of all machines: one of them runs it, although their
                                                    clocks differ by up to 30 seconds
  holdfast run -n -- -backup -- ./backup.sh         a name that begins with a dash
  holdfast run backup -c 'dump | gzip > dump.gz'    a shell command
  holdfast run catalogue -s -- ./export.sh          any number of these, while none runs with -x
  holdfast run convert --permits 1 --of 4 -- ./convert.sh   four at a time in the whole fleet

Exit codes: the command's own, 128+n if signal n ended it; otherwise
  64 wrong usage   65 the key is not a lock, or no permits are set   69 the server cannot be reached
  75 busy (-E changes it)   76 lock lost   77 permission   78 not installed   126 not executable   127 not found

--json writes events as lines to standard error: {"event","message","lock",…}, with the events waiting, acquired (owner,
waitedMs), suspended, lost, killed, not-started, not-released, aborted and ended (exitCode). Standard output belongs to the command.

Under nohup, write: holdfast run NAME -- nohup command. If KILL ends holdfast itself, the command runs on without the lock.`

export const lsHelp = `
PATTERN is a glob over names: * ? [a-z]; quote it, or the shell will expand it. The program scans the key space in small steps,
which delays no other client. It shows Redisson's locks too.

It shows all kinds of locks. Two kinds look like any other number in Redis, so it shows them only if they have a waiter: latches,
and semaphores of which only Redisson holds permits.

Examples:
  holdfast ls
  holdfast ls --sort waiting                       the busiest first
  holdfast ls 'invoice:*' --json | jq -r .name

--json writes one line per lock:
  {"name","kind","locked","owners":[{"owner","holds"}],"remainingMs","waitingClients"}; remainingMs is null if the lease has no end,
  waitingClients if the store does not know it; in Redis it counts the places in line.
If the kind has them: "mode" (read, write), "fence" (the last token, a string), "available" (permits), "count" (of a latch).
The kinds: "lock", "fenced lock", "read-write lock", "semaphore", "permit-expirable semaphore", "count-down latch".`

export const inspectHelp = `
Shows the owners of a lock and their holds, the time left of the lease, and the number of waiting clients; a process with many
waiting calls counts once. For locks and read-write locks it also shows the line, in order; for semaphores the available permits;
for fenced and read-write locks the last token; for latches the count. If several locks have the name, it shows one after
another. Plain, fair and fenced locks are one lock: in Redis it is called fenced if it ever had a token.

--json writes one line per lock:
  the fields of ls, whose "waitingClients" here counts those outside the line too (null if this user may not ask), and "line":[{"owner","mode"?}].
kind is null if there is no such lock; "semaphore or latch" is a "number" that may be either.`

export const watchHelp = `
On a terminal the program redraws the lock after each look; otherwise it writes a line for each change of holder, holds or
waiting clients. The time left is no such change. End it with Ctrl-C.

Examples:
  holdfast watch nightly-report
  holdfast watch nightly-report --json --count 2 --interval 0.2

--json writes one line per change: the fields of inspect, and "at" (ISO 8601).`

export const deadlocksHelp = `
A call that has waited for half a second, in code that holds other locks, leaves word of that in the store. This lists all of them. Where they
wait for each other in a ring, none will go on by itself: it shows the ring, and the exit code is 2. With the option diagnostics of these
clients, it shows where each lock was taken. Waits of code that holds nothing are not listed.

Examples:
  holdfast deadlocks
  holdfast deadlocks --watch                       until Ctrl-C; without a terminal, a paragraph for each new deadlock
  holdfast deadlocks --json | jq 'select(.event == "deadlock").cycle[].label'

--json writes one line for each deadlock and one for each wait:
  {"event":"deadlock","cycle":[{"owner","label","holds":{"kind","name"},"waitsFor":{"kind","name"},"waitsSince","takenAt","waitsAt"}]}
  {"event":"wait","owner","label","holds":[{"kind","name","takenAt"}],"waitsFor":{"kind","name"},"waitsSince","waitsAt"}
Each of a cycle waits for what the next one holds. takenAt and waitsAt are stacks, and are there with diagnostics only.`

export const unlockHelp = `
For locks whose holder is dead and whose lease is long, or without end. The holder has no say: if its work is still running,
it runs on until it notices the loss. On a terminal the program asks first; otherwise it requires --yes.

Examples:
  holdfast unlock --force nightly-report
  holdfast unlock --force --yes nightly-report

A lock goes to the next in line. A semaphore gets back all permits with a known holder; those that Redisson's RSemaphore took
have none. A latch is opened. If several locks have the name, --kind says which one to free; it is also required to open a latch
that could as well be a semaphore.

If the lock was free, that is no error. --json writes one line:
  {"name","kind","unlocked","owners":[{"owner","holds"}]}; unlocked is false if the lock was free, owners are its former holders.`

export const uiHelp = `
The page shows the locks that are held, their holders, who waits and the time left, and what changes while somebody looks. It is
read-only, unless --allow-unlock is given. Only browsers of this machine reach it, unless --host says otherwise; that takes a
token, which the page asks for. Other users can see command lines: put it into HOLDFAST_UI_TOKEN.

It sends nothing to the server while no page is open, and at most 300 commands a second otherwise, however many pages there are. With
--history it lists the locks at all times, with at most 30 commands a second, and keeps the last 10000 changes in memory.

Examples:
  holdfast ui
  holdfast ui --port 8080 --allow-unlock
  holdfast ui --history 28800                        what has changed in the last eight hours
  HOLDFAST_UI_TOKEN=… holdfast ui --host 0.0.0.0     in front of it, a proxy with TLS

--json writes one line once it listens: {"url","mayUnlock"}.`

export const schemaHelp = `
Holdfast creates no table by itself. Run this once, as a user who may:
  holdfast schema postgres | psql "$DATABASE_URL"
  holdfast schema mysql | mysql shop`

export const completionHelp = `
Once, for each user:
  holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast
  holdfast completion zsh > ~/.zfunc/_holdfast      with fpath+=~/.zfunc before compinit in ~/.zshrc
  holdfast completion fish > ~/.config/fish/completions/holdfast.fish`
