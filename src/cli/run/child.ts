import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { isError } from '../../base/errors/is-error.js'
import { exitCodes } from '../exit-codes.js'
import { exitCodeOfSignal } from '../signals.js'
import { ProcessTree } from './process-tree.js'

/** The command, word by word: no shell splits it. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
}

export type Ending =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not-started'; readonly error: Error }

/** The command's environment. By the owner in it, the processes that it starts are recognised. */
export interface Environment extends Readonly<Record<string, string>> {
  readonly HOLDFAST_OWNER: string
  /** Where its lock is, without credentials. */
  readonly HOLDFAST_SERVER: string
}

/** What of this program's own environment has passwords: it is not the command's business. */
const SECRETS = ['HOLDFAST_URL', 'HOLDFAST_REDIS_URL', 'HOLDFAST_UI_TOKEN']

/** Signals that ask all processes of the command to end, not just one. */
const ENDS_ALL: ReadonlySet<NodeJS.Signals> = new Set(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'])

/** How often to check whether all signalled processes have ended. */
const LOOK_EVERY_MS = 25

/** The user's command, run through a shell if the user asked for one. */
export function throughShell(text: string): Command {
  const { SHELL: shell = '' } = process.env
  return { file: shell === '' ? '/bin/sh' : shell, args: ['-c', text] }
}

/** The running command. It has this program's standard streams and terminal. */
export class Child {
  readonly ended: Promise<Ending>
  readonly #process: ChildProcess | undefined
  readonly #tree: ProcessTree | undefined
  /** Whether all its processes got a signal to end. */
  #told = false

  constructor({ file, args }: Command, environment: Environment) {
    try {
      const inherited = { ...process.env }
      for (const secret of SECRETS) delete inherited[secret]
      const child = spawn(file, args, { stdio: 'inherit', env: { ...inherited, ...environment } })
      const runs = (): boolean => child.exitCode === null && child.signalCode === null
      this.#process = child
      if (child.pid !== undefined)
        this.#tree = new ProcessTree(child.pid, runs, `HOLDFAST_OWNER=${environment.HOLDFAST_OWNER}`)
      this.ended = endingOf(child)
    } catch (error) {
      if (!isError(error)) throw error
      this.ended = Promise.resolve({ kind: 'not-started', error })
    }
  }

  /** Passes a signal on, to all processes that the command has started if it is one to end by, unless they have it already. */
  readonly pass = async (signal: NodeJS.Signals, toAll: Promise<boolean>): Promise<void> => {
    const ends = ENDS_ALL.has(signal)
    // At once: the signal may end the command before the answer is known.
    if (ends) this.#told = true
    if (await toAll) return
    if (ends) this.#tree?.signal(signal)
    else this.#process?.kill(signal)
  }

  /** Signals the command and all processes that it has started to end. */
  readonly terminate = (): void => {
    this.#told = true
    this.#tree?.signal('SIGTERM')
  }

  /**
   * Ends the command and all processes that it has started: TERM, and KILL for the rest after `graceMs`. Settles when none is left.
   *
   * @returns whether any process had to be killed.
   */
  async stop(graceMs: number): Promise<boolean> {
    this.terminate()
    return await this.#gone(graceMs)
  }

  /**
   * After the command's end: ends the processes that it has left behind, if a signal ended it or was sent to it, since those processes
   * may still be working. If the command ended by itself, it left them behind on purpose.
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

/** The program's exit code for this end of its command. */
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
    // Once the child has a pid, an error means that a signal could not be sent, not that the child has ended.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ kind: 'not-started', error })
    })
  })
}
