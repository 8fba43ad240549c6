import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'

interface Process {
  readonly pid: number
  readonly parent: number
  /** The session, if known. */
  readonly session: string | undefined
  /** Together with the pid it identifies a process: pids are reused. */
  readonly startedAt: string
}

/**
 * A process and all its descendants. The command runs in the terminal's process group, like any command, so it has no separate group
 * to signal; and a shell that has ended leaves its children behind. On Linux a mark in their environment identifies these, unless they
 * have begun their own session: then they are services that should keep running.
 */
export class ProcessTree {
  readonly #members = new Map<number, string>()
  readonly #session: string | undefined

  /**
   * @param root a process that was started here
   * @param rootRuns whether it has not been reaped, so that its pid is still valid
   * @param mark an entry in the environment of its descendants, and of no other process: `NAME=value`
   */
  constructor(
    private readonly root: number,
    private readonly rootRuns: () => boolean,
    private readonly mark: string,
  ) {
    this.#session = PROC ? fromProc(process.pid)?.session : undefined
  }

  /** Whether any of its processes still runs. */
  get alive(): boolean {
    for (const [pid, startedAt] of this.#members) {
      if (startOf(pid) === startedAt) return true
      this.#members.delete(pid)
    }
    this.#grow()
    return this.#members.size > 0
  }

  /** Sends a signal to all running processes. */
  signal(signal: NodeJS.Signals): void {
    this.#grow()
    // If processes cannot be listed, the root is still known.
    if (this.#members.size === 0 && this.rootRuns()) send(this.root, signal)
    for (const pid of this.#members.keys()) send(pid, signal)
  }

  /** Forgets processes that have ended and adds new ones. */
  #grow(): void {
    const running = runningProcesses()
    const startedAt = new Map(running.map((each) => [each.pid, each.startedAt]))
    if (this.rootRuns()) this.#join(this.root, startedAt.get(this.root))
    for (const [pid, since] of this.#members) if (startedAt.get(pid) !== since) this.#members.delete(pid)
    for (const each of running) if (this.#leftBehind(each)) this.#join(each.pid, each.startedAt)
    for (let before = -1; before !== this.#members.size; ) {
      before = this.#members.size
      for (const each of running) if (this.#members.has(each.parent)) this.#join(each.pid, each.startedAt)
    }
  }

  #join(pid: number, startedAt: string | undefined): void {
    if (startedAt !== undefined) this.#members.set(pid, startedAt)
  }

  #leftBehind({ pid, session }: Process): boolean {
    if (session === undefined || session !== this.#session || this.#members.has(pid)) return false
    return read(pid, 'environ').split('\0').includes(this.mark)
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile, or belongs to another user, so nothing more can be done.
  }
}

const PROC = existsSync('/proc/self/stat')

function runningProcesses(): Process[] {
  if (!PROC) return fromPs()
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  return pids.map((pid) => fromProc(Number(pid))).filter((found) => found !== undefined)
}

/** The start time of a process; undefined if it has ended. */
function startOf(pid: number): string | undefined {
  const found = PROC ? fromProc(pid) : fromPs(['-p', String(pid)])[0]
  return found?.startedAt
}

function fromProc(pid: number): Process | undefined {
  const stat = read(pid, 'stat')
  // The name in parentheses may contain anything, even blanks and parentheses.
  const [state, parent, , session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const startedAt = rest[15]
  if (state === 'Z' || state === 'X' || parent === undefined || startedAt === undefined) return undefined
  return { pid, parent: Number(parent), session, startedAt }
}

function read(pid: number, file: 'stat' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

/** On all other systems, by POSIX ps. */
function fromPs(which: readonly string[] = ['-A']): Process[] {
  const { stdout } = spawnSync('ps', [...which, '-o', 'pid=,ppid=,stat=,lstart='], { encoding: 'latin1' })
  const found: Process[] = []
  for (const line of (stdout ?? '').split('\n')) {
    const [pid, parent, state, ...startedAt] = line.trim().split(/\s+/)
    if (state === undefined || state.startsWith('Z')) continue
    const since = startedAt.join(' ')
    found.push({ pid: Number(pid), parent: Number(parent), session: undefined, startedAt: since })
  }
  return found
}
