/** Runs the command line as a process, as its users do, and ends what is left of it after each test. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import process from 'node:process'
import { afterEach, inject, onTestFinished } from 'vitest'
import { bringServer, type Server } from '../servers/index.js'
import { eventually } from '../setup/eventually.js'
import { programOf } from '../setup/programs.js'

export interface Outcome {
  /** Null if a signal ended the program itself. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Setting {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly url?: string
  /** The size of the terminal, where there is one. */
  readonly columns?: number
  readonly rows?: number
}

export class Running {
  stdout = ''
  stderr = ''
  /** Settles when the program, and all that has its streams, has ended. */
  readonly outcome: Promise<Outcome>

  constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    // Tests that end a program write to it no longer; that it does not read any more is no trouble.
    child.stdin?.on('error', () => undefined)
    this.outcome = new Promise((resolve) => {
      child.on('close', (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }))
    })
  }

  async shows(text: string | RegExp): Promise<void> {
    await eventually(
      () => this.stdout,
      (seen) => (typeof text === 'string' ? seen.includes(text) : text.test(seen)),
    )
  }

  async says(text: string): Promise<void> {
    await eventually(
      () => this.stderr,
      (seen) => seen.includes(text),
    )
  }
}

export interface Program {
  start(args: readonly string[], setting?: Setting): Running
  run(args: readonly string[], setting?: Setting): Promise<Outcome>
  /** By a shell's command line, in which the program stands as `holdfast`. */
  startInShell(text: string, setting?: Setting): Running
  /** As {@link startInShell}, on a terminal of its own as {@link startOnTerminal}. */
  startInShellOnTerminal(text: string, setting?: Setting): Running
  /** On a terminal of its own, whose keyboard is the process's standard input. */
  startOnTerminal(args: readonly string[], setting?: Setting): Running
  /** Its words, for use within a shell's command line. */
  readonly words: string
}

/** Whether util-linux's script is here, which makes terminals. */
export const canMakeTerminals = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0

export function useProgram(): Program {
  const running = new Set<ChildProcess>()
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL')
    running.clear()
  })

  const main = (): string => programOf(new URL('../../src/cli/main.ts', import.meta.url))
  const launch = (file: string, args: readonly string[], { env, url }: Setting): Running => {
    const server = { HOLDFAST_REDIS_URL: url ?? inject('servers').standalone.url }
    const { HOLDFAST_KEY_PREFIX: _, HOLDFAST_OWNER: __, ...inherited } = process.env
    const child = spawn(file, args, { env: { ...inherited, ...server, ...env } })
    running.add(child)
    child.on('exit', () => running.delete(child))
    return new Running(child)
  }
  const withProgram = (text: string): string =>
    text.replaceAll(/\bholdfast\b/g, `${quoted(process.execPath)} ${quoted(main())}`)
  const start: Program['start'] = (args, setting = {}) => launch(process.execPath, [main(), ...args], setting)
  return {
    start,
    async run(args, setting) {
      const { child, outcome } = start(args, setting)
      child.stdin?.end()
      return await outcome
    },
    startInShell(text, setting = {}) {
      return launch('sh', ['-c', withProgram(text)], setting)
    },
    startInShellOnTerminal(text, setting = {}) {
      return launch('script', ['-qec', withProgram(text), '/dev/null'], setting)
    },
    startOnTerminal(args, setting = {}) {
      const words = [process.execPath, main(), ...args].map(quoted).join(' ')
      const { columns, rows } = setting
      const size = columns === undefined ? '' : `stty columns ${columns} rows ${rows ?? 24}; `
      return launch('script', ['-qec', `${size}exec ${words}`, '/dev/null'], setting)
    },
    get words() {
      return `${quoted(process.execPath)} ${quoted(main())}`
    },
  }
}

/** A server of this test alone, which ends with it. */
export async function ownServer(...args: string[]): Promise<Server> {
  const server = await bringServer({ flavour: 'any', args })
  onTestFinished(() => server.stop())
  return server
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
