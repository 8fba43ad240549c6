import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import process from 'node:process'

/**
 * Keeps the cores from falling asleep while cells run: a process for each that does nothing, at the priority that yields to
 * everybody (`SCHED_IDLE`). To wake a core of a virtual machine costs as much as a round trip to a server on it, and whether one
 * sleeps depends on chance; then figures have two modes, and ratios mean nothing. Without `chrt` there is none.
 */
export class Wakefulness {
  readonly #idlers: ChildProcess[]

  constructor() {
    this.#idlers = Array.from({ length: availableParallelism() }, () => {
      const idler = spawn('chrt', ['--idle', '0', process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' })
      idler.on('error', () => {})
      return idler
    })
    process.once('exit', () => this.end())
  }

  end(): void {
    for (const idler of this.#idlers) idler.kill('SIGKILL')
  }
}
