import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Open } from '../../drivers/library.js'

/** Takes the lock for a line, and gives it back for another; says when each is done. */
const SCRIPT = 'exec 9>"$0"; while read -r _; do flock -x 9; echo; read -r _; flock -u 9; echo; done'

/** A shell that takes one lock again and again: starting one would take longer than to get the lock. */
class Shell {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>

  constructor(file: string) {
    this.#child = spawn('sh', ['-c', SCRIPT, file])
    this.#child.stdin.on('error', () => {})
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  async next(): Promise<void> {
    this.#child.stdin.write('\n')
    if ((await this.#lines.next()).done === true) throw new Error('the shell has ended')
  }

  end(): void {
    this.#child.stdin.end()
  }
}

/** `flock(1)` of util-linux. */
export const open: Open = ({ folder = '.' }) => {
  const idle = new Map<string, Shell[]>()
  return {
    version: execFileSync('flock', ['--version'], { encoding: 'utf8' }).trim().replace('flock from ', ''),
    async section(key, body) {
      const shells = idle.get(key) ?? []
      idle.set(key, shells)
      const shell = shells.pop() ?? new Shell(join(folder, key.replaceAll(':', '-')))
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
