import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodes } from './exit-codes.js'
import { ProcessTree } from './process-tree.js'
import { exitCodeOfSignal } from './signals.js'

/** What to run, word by word: no shell takes it apart. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
}

export type Ending =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not-started'; readonly error: Error }

/** What the command finds in its environment. By its owner, all that it starts is known as its own. */
export interface Environment extends Readonly<Record<string, string>> {
  readonly HOLDFAST_OWNER: string
}

/** Signals that ask for the end of all that works, not of one process. */
const ENDS_ALL: ReadonlySet<NodeJS.Signals> = new Set(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'])

/** How often to look whether all that was told to end has ended. */
const LOOK_EVERY_MS = 25

/** The command a user wants run, through the shell that it was asked for. */
export function throughShell(text: string): Command {
  const { SHELL: shell = '' } = process.env
  return { file: shell === '' ? '/bin/sh' : shell, args: ['-c', text] }
}

/** The command while it runs. It has our standard streams and our terminal. */
export class Child {
  readonly ended: Promise<Ending>
  readonly #process: ChildProcess | undefined
  readonly #tree: ProcessTree | undefined
  /** Whether all of it was sent a signal to end by. */
  #told = false

  constructor({ file, args }: Command, environment: Environment) {
    try {
      const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
      const runs = (): boolean => child.exitCode === null && child.signalCode === null
      this.#process = child
      if (child.pid !== undefined)
        this.#tree = new ProcessTree(child.pid, runs, `HOLDFAST_OWNER=${environment.HOLDFAST_OWNER}`)
      this.ended = endingOf(child)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      this.ended = Promise.resolve({ kind: 'not-started', error })
    }
  }

  /** Passes on a signal, to all that it has started where it is one to end by; unless all have it already. */
  readonly pass = async (signal: NodeJS.Signals, toAll: Promise<boolean>): Promise<void> => {
    const ends = ENDS_ALL.has(signal)
    // At once: the command may have ended of it before the answer is known.
    if (ends) this.#told = true
    if (await toAll) return
    if (ends) this.#tree?.signal(signal)
    else this.#process?.kill(signal)
  }

  /** Tells it and all that it has started to end. */
  readonly terminate = (): void => {
    this.#told = true
    this.#tree?.signal('SIGTERM')
  }

  /**
   * Ends it and all that it has started: TERM, and KILL for what is left of it after `graceMs`. Settles when nothing is left.
   *
   * @returns whether anything had to be killed.
   */
  async stop(graceMs: number): Promise<boolean> {
    this.terminate()
    return await this.#gone(graceMs)
  }

  /**
   * After its end: ends what it has left behind, if it was ended by a signal or sent one, which is not to say that the rest was done
   * with its work. Of a command that ended by itself, what it has left behind is meant to stay.
   *
   * @returns as {@link stop}
   */
  async clearUp(ending: Ending, graceMs: number): Promise<boolean> {
    if (this.#told) return await this.#gone(graceMs)
    return ending.kind === 'signal' && (await this.stop(graceMs))
  }

  async #gone(graceMs: number): Promise<boolean> {
    const killAt = performance.now() + graceMs
    let killed = false
    while (this.#tree?.alive) {
      killed ||= performance.now() >= killAt
      if (killed) this.#tree.signal('SIGKILL')
      await sleep(killed ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, Math.max(killAt - performance.now(), 0)))
    }
    return killed
  }
}

/** What the program ends with, when its command has ended so. */
export function exitCodeOf(ending: Ending): number {
  if (ending.kind === 'exit') return ending.code
  if (ending.kind === 'signal') return exitCodeOfSignal(ending.signal)
  return 'code' in ending.error && ending.error.code === 'ENOENT'
    ? exitCodes.notFound
    : exitCodes.notExecutable
}

function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => {
      resolve(signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal })
    })
    // Once it has a pid, an error is a signal that could not be sent, and no reason to think that it has ended.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ kind: 'not-started', error })
    })
  })
}
