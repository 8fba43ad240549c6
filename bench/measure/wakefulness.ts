import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import process from 'node:process'
import type { System } from '../drivers/place.js'

/** Whether Linux shares the processor between sessions before it looks at the priorities of those within one. */
const AUTOGROUP = '/proc/sys/kernel/sched_autogroup_enabled'

/** It ends with the benchmark, also where that is killed. */
const IDLER = 'const { ppid } = process; for (let turn = 1; turn % 1e6 || process.ppid === ppid; turn += 1);'

/** Their threads wait for the disk, and go on later where a core has something else to do, however low its priority. */
const waitForTheDisk: ReadonlySet<System> = new Set(['PostgreSQL', 'MySQL', 'MariaDB', 'etcd', 'ZooKeeper'])

/**
 * Keeps the cores from falling asleep while cells run: a process for each that does nothing, at the priority that yields to
 * everybody (`SCHED_IDLE`). To wake a core of a virtual machine costs as much as a round trip to a server on it, and whether one
 * sleeps depends on chance; then figures have two modes, and ratios mean nothing. Without `chrt` there is none.
 *
 * There is none either beside a server that waits for the disk: etcd answers Go's client 930 times a second beside idlers, and 1 430 times
 * without. Nor with autogroup: a server has sessions of its own, so that it would wait until an idler's slice of 3 ms was over.
 */
export class Wakefulness {
  readonly #grouped = isGrouped()
  #idlers: ChildProcess[] = []

  constructor() {
    if (this.#grouped)
      console.log(
        'Cores may sleep between requests: for steadier figures, sysctl kernel.sched_autogroup_enabled=0.',
      )
    process.once('exit', () => this.end())
  }

  /** Before work on that system. */
  begin(system: System): void {
    if (this.#grouped || waitForTheDisk.has(system)) {
      this.end()
      return
    }
    if (this.#idlers.length > 0) return
    this.#idlers = Array.from({ length: availableParallelism() }, () => {
      const idler = spawn('chrt', ['--idle', '0', process.execPath, '-e', IDLER], { stdio: 'ignore' })
      idler.on('error', () => {})
      return idler
    })
  }

  end(): void {
    for (const idler of this.#idlers.splice(0)) idler.kill('SIGKILL')
  }
}

function isGrouped(): boolean {
  try {
    return readFileSync(AUTOGROUP, 'utf8').trim() === '1'
  } catch {
    return false
  }
}
