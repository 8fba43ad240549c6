import process from 'node:process'
import { LockLostError, LockTimeoutError, StoreError } from '../../base/errors/errors.js'
import { ownerText } from '../../base/identity/label.js'
import type { Hold } from '../../kinds/hold.js'
import { exitCodes } from '../exit-codes.js'
import { busyText, failureOf } from '../failure.js'
import type { Output } from '../output.js'
import type { Server } from '../server.js'
import { exitCodeOfSignal, type Signals } from '../signals.js'
import { timeText } from '../time-text.js'
import { Child, type Command, type Ending, exitCodeOf } from './child.js'
import { Guard, type StopReason } from './guard.js'
import { obtain } from './obtain.js'
import type { RunOptions } from './options.js'
import type { Resource } from './resource.js'

/** How long the release may take after a signal: a hanging server must not delay the end. */
const RELEASE_MS = 1_000

/** The last time that a `Date` can be. */
const LAST_TIME = 8_640_000_000_000_000

/** Runs a command while holding a lock. Returns the command's exit code, unless the lock was busy or lost. */
export class Run {
  constructor(
    private readonly server: Server,
    private readonly resource: Resource,
    private readonly command: Command,
    private readonly options: RunOptions,
    private readonly output: Output,
    private readonly signals: Signals,
  ) {}

  async result(): Promise<number> {
    this.#tellOfTrouble()
    const startedAt = performance.now()
    const hold = await this.#obtain()
    if (typeof hold === 'number') return hold
    if (this.options.atLeastMs > 0) hold.keepFor(this.options.atLeastMs)
    const waitedMs = Math.round(performance.now() - startedAt)
    this.#tell('acquired', `got ${this.resource.called} after ${timeText(waitedMs)}`, {
      owner: hold.owner,
      waitedMs,
    })
    const exitCode = await this.#guarded(hold)
    this.#tell('ended', `the command ended; exit code ${exitCode}`, { owner: hold.owner, exitCode })
    return exitCode
  }

  /** The hold, or the exit code if there will be none. */
  async #obtain(): Promise<Hold | number> {
    const { signals, options, output } = this
    try {
      const hold = await obtain(this.resource, options, signals.aborted, output)
      if (signals.received === undefined) return hold
      // The signal arrived while the grant was on its way.
      await this.#released(hold)
    } catch (error) {
      if (signals.received === undefined) {
        if (!(error instanceof LockTimeoutError) || error.cause !== undefined) throw error
        const exitCode = options.busyExitCode
        const message = busyText(error, this.resource.called)
        if (!options.quiet) {
          output.failure({ ...failureOf(error, undefined), message, exitCode }, error, undefined)
        }
        return exitCode
      }
    }
    this.#tell('aborted', `${signals.received}: no longer waiting for ${this.resource.called}`)
    return exitCodeOfSignal(signals.received)
  }

  async #guarded(hold: Hold): Promise<number> {
    const { graceMs, marginMs } = this.options
    const child = new Child(this.command, {
      HOLDFAST_LOCK: this.resource.name,
      HOLDFAST_OWNER: hold.owner,
      HOLDFAST_SERVER: this.server.shown,
      HOLDFAST_EXPIRES_AT: new Date(Math.min(Date.now() + hold.remainingMs(), LAST_TIME)).toISOString(),
      ...(hold.fence === undefined ? {} : { HOLDFAST_FENCE: String(hold.fence) }),
    })
    this.signals.forwardTo(child.pass)
    // Whatever ends this program ends the command too: without this program another owner would soon get the lock.
    process.once('exit', child.terminate)
    let stopped: Promise<void> = Promise.resolve()
    const guard = new Guard(this.server.family, hold, graceMs, marginMs, (reason, leftMs) => {
      stopped = this.#stop(child, hold, reason, leftMs)
    })
    const ending = await child.ended
    if (await child.clearUp(ending, graceMs))
      this.output.note(
        'killed',
        'processes that the command had started did not end in time: killed',
        this.#about(hold),
      )
    guard[Symbol.dispose]()
    await stopped
    process.off('exit', child.terminate)
    this.signals.takeBack(exitCodeOf(ending))
    if (ending.kind === 'not-started') this.#tellNotStarted(ending.error)
    return await this.#release(hold, ending, guard.reason)
  }

  async #stop(child: Child, hold: Hold, reason: StopReason, graceMs: number): Promise<void> {
    const why = reason === 'lost' ? 'was lost' : 'is about to be lost'
    const details = { ...this.#about(hold), reason: lossText(hold, reason) }
    const grace = graceMs < 1 ? '' : `, which has ${timeText(graceMs)} to end`
    const killed = child.stop(graceMs)
    this.output.note(
      'lost',
      `${this.resource.called} ${why} (${details.reason}): sent TERM to the command${grace}`,
      details,
    )
    if (await killed) this.output.note('killed', 'the command did not end in time: killed', details)
  }

  /** Releases the lock and resolves with the program's exit code. */
  async #release(hold: Hold, ending: Ending, stopped: StopReason | undefined): Promise<number> {
    const own = exitCodeOf(ending)
    try {
      await this.#released(hold)
    } catch (error) {
      if (error instanceof LockLostError) {
        if (stopped === undefined) {
          this.output.note(
            'lost',
            `${this.resource.called} was lost while the command ran: other work may have run at the same time`,
            this.#about(hold),
          )
          // The command's own failure takes precedence; a success cannot be trusted.
          return own === exitCodes.ok ? exitCodes.lost : own
        }
      } else if (error instanceof StoreError) {
        const text = `${this.resource.called} could not be released and stays held until its lease ends: ${error.message}`
        this.output.note('not-released', text, this.#about(hold))
      } else {
        throw error
      }
    }
    return stopped === undefined ? own : exitCodes.lost
  }

  /** Releases the lock; after a signal to end, only if that takes no time. */
  async #released(hold: Hold): Promise<void> {
    const { aborted } = this.signals
    const impatient = new Promise<never>((_, reject) => {
      const wait = (): void => {
        setTimeout(
          () => reject(new StoreError('timeout', 'release', { lockName: hold.name, transient: true })),
          RELEASE_MS,
        )
      }
      if (aborted.aborted) wait()
      else aborted.addEventListener('abort', wait, { once: true })
    })
    await Promise.race([hold.release(), impatient])
  }

  #about({ owner }: Hold): { readonly lock: string; readonly owner: string } {
    return { lock: this.resource.name, owner }
  }

  #tell(event: string, text: string, details: { readonly [key: string]: string | number } = {}): void {
    if (this.options.verbose || this.output.json)
      this.output.note(event, text, { lock: this.resource.name, ...details })
  }

  #tellNotStarted(error: Error): void {
    const code = 'code' in error ? error.code : undefined
    const why = code === 'ENOENT' ? 'not found' : code === 'EACCES' ? 'permission denied' : error.message
    const text = `cannot run ${this.command.file}: ${why}`
    this.output.note('not-started', text, { lock: this.resource.name })
  }

  #tellOfTrouble(): void {
    const { family: holdfast } = this.server
    holdfast.on('waiting', ({ holder, holderLabel, heldSince, remainingMs, cause }) => {
      if (cause !== undefined) {
        const { message } = failureOf(cause, undefined)
        this.output.note('no-answer', `no answer yet, trying on: ${message}`, { lock: this.resource.name })
        return
      }
      const by = holder === undefined ? '' : `, held by ${ownerText(holder, heldSince)}`
      this.#tell('waiting', `waiting for ${this.resource.called}${by}`, {
        ...(holder === undefined ? {} : { holder, ...(holderLabel !== undefined && { holderLabel }) }),
        ...(Number.isFinite(remainingMs) ? { remainingMs: Math.round(remainingMs) } : {}),
      })
      if (holder === undefined || holder !== process.env['HOLDFAST_OWNER']) return
      const text = `${this.resource.called} is held by the holdfast run that started this one: the two wait for each other`
      this.output.note('self-wait', text, { lock: this.resource.name, holder })
    })
    holdfast.on('suspended', ({ owner, remainingMs }) => {
      const text =
        `${this.resource.called} could not be renewed; retrying. ` +
        `Unless a retry succeeds, the command is ended before its lease, which ends in ${timeText(remainingMs)}`
      this.output.note('suspended', text, {
        lock: this.resource.name,
        owner,
        remainingMs: Math.round(remainingMs),
      })
    })
  }
}

function lossText({ signal }: Hold, reason: StopReason): string {
  if (reason === 'lease-ending') return 'its lease ends'
  const loss: unknown = signal.reason
  return loss instanceof LockLostError && loss.reason === 'not-in-store'
    ? 'the server no longer has it: forced open, or expired there'
    : 'its lease ran out'
}
