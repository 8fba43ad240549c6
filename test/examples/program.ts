/** Runs a program of this package as a user would: as a process of its own, on the built package. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** How a program ended, and what it printed. */
export interface Ending {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program that runs. */
export class Program {
  /** What it has printed so far. */
  stdout = ''
  stderr = ''
  readonly ended: Promise<Ending>
  readonly #child

  /**
   * @param path from the package's root, or absolute. TypeScript is compiled as it is loaded, which takes its time.
   * @param env beside the environment of the tests.
   */
  constructor(path: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const compiler = path.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []
    this.#child = spawn(process.execPath, [...compiler, path, ...args], {
      cwd: root,
      env: { ...plain(process.env), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.ended = once(this.#child, 'close').then(([code]) => ({
      code: typeof code === 'number' ? code : null,
      stdout: this.stdout,
      stderr: this.stderr,
    }))
  }

  /** Waits for the end; a program that goes on for longer, because of something it has left open, is killed. */
  async endWithin(ms: number): Promise<Ending> {
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
    this.#child.kill(name)
  }
}

/** The environment without what the test runner put there for programs of its own. */
function plain(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...rest } = env
  return rest
}
