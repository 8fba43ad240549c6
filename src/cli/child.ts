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

  constructor({ file, args }: Command, environment: Readonly<Record<string, string>>) {
    try {
      const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
      this.#process = child
      this.ended = endingOf(child)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      this.ended = Promise.resolve({ kind: 'not-started', error })
    }
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  forward(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  /**
   * Ends it and all that it has started: TERM, and KILL for what is left of it after `graceMs`.
   *
   * @returns whether anything had to be killed.
   */
  async stop(graceMs: number): Promise<boolean> {
    const child = this.#process
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return false
    const tree = new ProcessTree(child.pid)
    tree.signal('SIGTERM')
    const killAt = performance.now() + graceMs
    do {
      await sleep(Math.min(LOOK_EVERY_MS, Math.max(killAt - performance.now(), 0)))
    } while (tree.alive && performance.now() < killAt)
    if (!tree.alive) return false
    tree.signal('SIGKILL')
    return true
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
