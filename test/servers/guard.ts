import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/*
 * Reads shell commands until its input ends, then runs the last one and removes the directory. The input ends when
 * the guard is dismissed, and also when the process that holds the other end dies, SIGKILL included: the kernel
 * closes the pipe.
 */
const SCRIPT = 'while read -r line; do undo=$line; done; eval "$undo" 2>/dev/null; rm -rf "$1"'

/** Keeps a server's directory and sees to it that neither it nor the server outlives this process. */
export class Guard {
  readonly #shell: ChildProcess
  readonly #gone: Promise<void>

  private constructor(readonly dir: string) {
    this.#shell = spawn('sh', ['-c', SCRIPT, 'holdfast-server-guard', dir], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#gone = new Promise((resolve) => this.#shell.once('exit', () => resolve()))
    this.#shell.stdin?.on('error', () => {})
    this.#shell.unref()
  }

  static async mount(): Promise<Guard> {
    return new Guard(await mkdtemp(join(tmpdir(), 'holdfast-server-')))
  }

  /** Says which shell command ends the server now running; an empty one when none runs. */
  undo(command: string): void {
    this.#shell.stdin?.write(`${command}\n`)
  }

  async dismiss(): Promise<void> {
    this.#shell.stdin?.end()
    this.#shell.ref()
    await this.#gone
  }
}
