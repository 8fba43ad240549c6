/** Runs the command line as a process, as its users do, and ends what is left of it after each test. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, expect, inject, onTestFinished } from 'vitest'
import { ownerText } from '../../src/base/identity/label.js'
import { bringServer, type Server } from '../servers/index.js'
import { eventually } from '../setup/eventually.js'
import { programOf } from '../setup/programs.js'
import { jsonLines } from './json.js'

export { jsonLines }

export interface Outcome {
  /** Null if a signal ended the program itself. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Setting {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly url?: string
  /** The width of the terminal, where there is one; it has 24 rows. */
  readonly columns?: number
}

export class Running {
  stdout = ''
  stderr = ''
  /** Settles when the program, and all that has its streams, has ended. */
  readonly outcome: Promise<Outcome>

  constructor(readonly child: ChildProcess) {
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this[name] += text
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

  /** Gives it the line that it reads, and no other. */
  goesOn(): Promise<Outcome> {
    this.child.stdin?.end('\n')
    return this.outcome
  }

  endsBy(signal: NodeJS.Signals): Promise<Outcome> {
    this.child.kill(signal)
    return this.outcome
  }
}

/** A command that says that it is ready, and ends with that code when it is given a line: see {@link Running.goesOn}. */
export const untilTold = (code = 0) => ['--', 'sh', '-c', `echo ready; read line; exit ${code}`]

/** Whether util-linux's script is here, which makes terminals. */
export const canMakeTerminals = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0

export type Program = ReturnType<typeof useProgram>

export function useProgram() {
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
  const wordsOf = (...args: string[]): string => [process.execPath, main(), ...args].map(quoted).join(' ')
  const withProgram = (text: string): string => text.replaceAll(/\bholdfast\b/g, wordsOf())
  const onTerminal = (text: string, setting: Setting): Running =>
    launch('script', ['-qec', text, '/dev/null'], setting)
  const start = (args: readonly string[], setting: Setting = {}): Running =>
    launch(process.execPath, [main(), ...args], setting)
  const run = (args: readonly string[], setting?: Setting): Promise<Outcome> => {
    const { child, outcome } = start(args, setting)
    child.stdin?.end()
    return outcome
  }
  return {
    start,
    run,
    /** `holdfast run`, whose command has said that it is ready. */
    ready: async (args: readonly string[], setting?: Setting) => {
      const running = start(['run', ...args], setting)
      await running.shows('ready')
      return running
    },
    /** What it prints with `--json`. */
    json: async (args: readonly string[], setting?: Setting) => {
      const { code, stdout } = await run([...args, '--json'], setting)
      expect(code).toBe(0)
      return jsonLines(stdout)
    },
    /** By a shell's command line, in which the program stands as `holdfast`. */
    startInShell: (text: string, setting: Setting = {}) => launch('sh', ['-c', withProgram(text)], setting),
    /** On a terminal of its own, whose keyboard is the process's standard input. */
    startOnTerminal: (args: readonly string[], setting: Setting = {}) => {
      const size = setting.columns === undefined ? '' : `stty columns ${setting.columns} rows 24; `
      return onTerminal(`${size}exec ${wordsOf(...args)}`, setting)
    },
    startInShellOnTerminal: (text: string) => onTerminal(withProgram(text), {}),
    /** Its words, for use within a shell's command line. */
    get words() {
      return wordsOf()
    },
  }
}

/** `holdfast ui`, and where its page is. */
export async function serve(
  program: Program,
  url: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const running = program.start(['ui', '--port', '0', '--json', ...args], { url, env })
  await Promise.race([running.shows('\n'), running.outcome])
  const [line] = jsonLines(running.stdout)
  if (line === undefined) throw new Error(`the page is not served: ${running.stderr}`)
  return { url: String(line['url']), running }
}

/** A folder of this test alone. */
export async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
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

/** An owner with a label as the program shows it, for a regular expression; with remarks, which are one already. */
export function shownAs(owner: string, remarks = ''): string {
  const text = ownerText(owner).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return remarks === '' ? text : text.replace(/\\\)$/, `, ${remarks}\\)`)
}
