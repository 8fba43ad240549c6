import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Open } from '../../drivers/library.js'

/** Says that it is there; then takes the lock for a line and gives it back for another, and says when each is done. */
const SCRIPT = 'exec 9>"$0"; echo; while read -r _; do flock -x 9; echo; read -r _; flock -u 9; echo; done'

/** A shell that takes one lock again and again: starting one would take longer than to get the lock. */
class Shell {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>

  private constructor(file: string) {
    this.#child = spawn('sh', ['-c', SCRIPT, file])
    this.#child.stdin.on('error', () => {})
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  static async start(file: string): Promise<Shell> {
    const shell = new Shell(file)
    await shell.#line()
    return shell
  }

  next(): Promise<void> {
    this.#child.stdin.write('\n')
    return this.#line()
  }

  end(): void {
    this.#child.stdin.end()
  }

  async #line(): Promise<void> {
    if ((await this.#lines.next()).done === true) throw new Error('the shell has ended')
  }
}

/** `flock(1)` of util-linux, with a shell for each waiter that is there before the work begins. */
export const open: Open = async ({ folder = '.', key: measured, waiters }) => {
  const idle = new Map<string, Shell[]>()
  const fileFor = (key: string): string => join(folder, key.replaceAll(':', '-'))
  const shellsFor = (key: string): Shell[] => {
    const shells = idle.get(key) ?? []
    idle.set(key, shells)
    return shells
  }
  const starting = Array.from({ length: waiters }, () => Shell.start(fileFor(measured)))
  shellsFor(measured).push(...(await Promise.all(starting)))
  return {
    version: execFileSync('flock', ['--version'], { encoding: 'utf8' }).trim().replace('flock from ', ''),
    async section(key, body) {
      const shells = shellsFor(key)
      const shell = shells.pop() ?? (await Shell.start(fileFor(key)))
      await shell.next()
      const working = body()
      if (working) await working
      await shell.next()
      shells.push(shell)
    },
    close: async () => {
      for (const shell of [...idle.values()].flat()) shell.end()
    },
  }
}
