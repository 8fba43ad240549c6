/** Runs a program of this package as a user would: as a process of its own, on the built package. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Outcome, Running } from '../cli/program.js'

/** A program that runs. */
export class Program extends Running {
  /**
   * @param path from the package's root, or absolute. TypeScript is compiled as it is loaded, which takes its time.
   * @param env beside the environment of the tests.
   */
  constructor(path: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const compiler = path.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []
    // Without what the test runner put there for programs of its own.
    const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...inherited } = process.env
    super(
      spawn(process.execPath, [...compiler, path, ...args], {
        cwd: fileURLToPath(new URL('../../', import.meta.url)),
        env: { ...inherited, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
  }

  /** Settles with how it ended, and what it printed. */
  get ended(): Promise<Outcome> {
    return this.outcome
  }

  /** Waits for the end; a program that goes on for longer, because of something it has left open, is killed. */
  async endWithin(ms: number) {
    const timer = setTimeout(() => {
      this.stderr += `(killed: did not end within ${ms} ms)\n`
      this.signal('SIGKILL')
    }, ms)
    try {
      return await this.ended
    } finally {
      clearTimeout(timer)
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name)
  }
}
