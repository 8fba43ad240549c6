import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'

interface Process {
  readonly pid: number
  readonly parent: number
  /** With the pid it names one process for good: pids are used again. */
  readonly startedAt: string
}

/**
 * A process and all that it has started, directly or not. The command runs in the terminal's process group, like any command,
 * so there is no group of its own to signal; and a shell that is ended leaves what it runs behind.
 */
export class ProcessTree {
  readonly #members = new Map<number, string>()

  /** @param root a process that was started here and has not been waited for, so that its pid is still its own */
  constructor(private readonly root: number) {}

  /** Whether anything of it that was seen at the last signal still runs. */
  get alive(): boolean {
    for (const [pid, startedAt] of this.#members) {
      if (startOf(pid) !== startedAt) this.#members.delete(pid)
    }
    return this.#members.size > 0
  }

  /** Sends it to all that runs now, whoever was started since the last signal included. */
  signal(signal: NodeJS.Signals): void {
    this.#grow(runningProcesses())
    // Where processes cannot be listed, there is still the one we know.
    if (this.#members.size === 0) send(this.root, signal)
    for (const pid of this.#members.keys()) send(pid, signal)
  }

  /** Forgets who has ended and takes in who was started. */
  #grow(running: readonly Process[]): void {
    const startedAt = new Map(running.map((each) => [each.pid, each.startedAt]))
    if (this.#members.size === 0) this.#join(this.root, startedAt.get(this.root))
    for (const [pid, since] of this.#members) if (startedAt.get(pid) !== since) this.#members.delete(pid)
    for (let before = -1; before !== this.#members.size; ) {
      before = this.#members.size
      for (const each of running) if (this.#members.has(each.parent)) this.#join(each.pid, each.startedAt)
    }
  }

  #join(pid: number, startedAt: string | undefined): void {
    if (startedAt !== undefined) this.#members.set(pid, startedAt)
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile, or belongs to another user: nothing more can be done from here.
  }
}

const PROC = existsSync('/proc/self/stat')

function runningProcesses(): Process[] {
  if (!PROC) return fromPs()
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  return pids.map((pid) => fromProc(Number(pid))).filter((found) => found !== undefined)
}

/** When a process was started; undefined when it has ended. */
function startOf(pid: number): string | undefined {
  const found = PROC ? fromProc(pid) : fromPs(['-p', String(pid)])[0]
  return found?.startedAt
}

function fromProc(pid: number): Process | undefined {
  const stat = readStat(pid)
  // The name in parentheses may hold anything, blanks and parentheses too.
  const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const startedAt = rest[17]
  if (state === 'Z' || state === 'X' || parent === undefined || startedAt === undefined) return undefined
  return { pid, parent: Number(parent), startedAt }
}

function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return ''
  }
}

/** Everywhere else, as POSIX has it. */
function fromPs(which: readonly string[] = ['-A']): Process[] {
  const { stdout } = spawnSync('ps', [...which, '-o', 'pid=,ppid=,stat=,lstart='], { encoding: 'latin1' })
  const found: Process[] = []
  for (const line of (stdout ?? '').split('\n')) {
    const [pid, parent, state, ...startedAt] = line.trim().split(/\s+/)
    if (state === undefined || state.startsWith('Z')) continue
    found.push({ pid: Number(pid), parent: Number(parent), startedAt: startedAt.join(' ') })
  }
  return found
}
