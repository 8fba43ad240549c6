import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { Hold, Holdfast, MultiHold } from '../../../src/index.js'
import type { Told } from '../history/event.js'
import { Counts, type Numbers, outcomeOf } from './counts.js'
import { type AnyHold, Handles, type SectionOptions } from './handles.js'
import type { Ledger } from './ledger.js'
import { Presence } from './presence.js'
import type { Resource } from './resource.js'
import type { SectionStep, Step, Target } from './step.js'

/** How often a section that works for long looks whether its lock is still held. */
const LOOK_MS = 100
const LAPSE_MS = 30

/** The sections around a step: their numbers, the outermost first, and the hold of the innermost. */
interface Around {
  /** The scopes around it as the owner sees them, the outermost first. */
  readonly scope: readonly number[]
  readonly stands: () => boolean
  /**
   * Aborts when one of the sections is lost. What waits in it without a limit gives up then: to take a lost lock again, beside others
   * that are held still, is to take it out of turn, and may wait for ever.
   */
  readonly lost?: AbortSignal
}

const OUTSIDE: Around = { scope: [], stands: () => true }

export class Interpreter {
  readonly #handles: Handles
  readonly #detached = new Set<Promise<void>>()
  readonly #running = new Set<Presence>()
  readonly #waiting = new Map<string, number>()
  readonly #counts: Counts
  /** Has work done outside of all sections. */
  readonly #elsewhere = AsyncLocalStorage.snapshot()

  constructor(
    private readonly holdfast: Holdfast,
    resources: readonly Resource[],
    private readonly ttlMs: { readonly computed: number; readonly lease: number },
    private readonly numbers: Numbers,
    private readonly ledger: Ledger | undefined,
    private readonly write: (told: Told) => void,
  ) {
    this.#handles = new Handles(holdfast, resources)
    this.#counts = new Counts(holdfast, numbers, write)
    // What is believed after a renewal is written down: a holder that is frozen then cannot say it any more.
    holdfast.on('renewed', ({ name }) => {
      for (const presence of this.#running) if (presence.names.includes(name)) presence.look()
    })
  }

  async run(program: readonly Step[]): Promise<void> {
    await this.#all(program, OUTSIDE)
  }

  /** What the store's answer to that owner means for its place in the line of that lock. */
  placed(e: 'wait' | 'late', name: string, owner: string): void {
    const c = this.#waiting.get(`${name} ${owner}`)
    if (c !== undefined) this.write({ e, c })
  }

  /** Resolves when nothing runs any more that nobody awaits. */
  async settled(): Promise<void> {
    while (this.#detached.size > 0) await Promise.all(this.#detached)
  }

  async #all(steps: readonly Step[], around: Around): Promise<void> {
    for (const step of steps) {
      if (!around.stands()) return
      await this.#step(step, around)
    }
  }

  async #step(step: Step, around: Around): Promise<void> {
    if (step.do === 'work') await this.#work(step.ms, around)
    else if (step.do === 'siblings')
      await Promise.all(step.branches.map((branch) => this.#all(branch, around)))
    else if (step.do === 'run') await this.holdfast.run(() => this.#all(step.body, this.#inRun(around)))
    else if (step.do === 'latch') await this.#counts.latch(step, () => this.#work(step.ms, around))
    else if (step.do === 'resize') await this.#counts.resize(step, () => this.#work(step.ms, around))
    else if (step.do === 'section') await this.#section(step, around)
    else {
      const alone = { ...around, stands: () => true }
      const work = pause(step.afterMs).then(() => this.#all(step.body, alone))
      const kept = work.finally(() => this.#detached.delete(kept))
      this.#detached.add(kept)
    }
  }

  async #work(ms: number, around: Around): Promise<void> {
    if (ms === 0) await setImmediate()
    for (let left = ms; left > 0 && around.stands(); left -= LOOK_MS) await pause(Math.min(left, LOOK_MS))
  }

  async #section(step: SectionStep, around: Around): Promise<void> {
    this.numbers.calls += 1
    const c = this.numbers.calls
    const claim = this.#handles.claim(step)
    const { names } = claim
    const { target, way, waitMs, leaseMs, abortAfterMs: abortMs } = step
    const owner = step.explicitOwner ? this.holdfast.owner() : undefined
    const [name] = names
    const waits = owner !== undefined && name !== undefined && names.length === 1
    if (waits) this.#waiting.set(`${name} ${owner}`, c)
    const outer = owner === undefined ? around : OUTSIDE
    const { scope } = way === 'lock' || way === 'tryLock' ? this.#inRun(outer) : outer
    const inner = [...scope, c]
    const belongs = way === 'withLock' || scope.length === 0 ? inner : scope
    const opens = isAlone(target) ? [] : belongs
    const asked = { kind: target.kind, way, waitMs, leaseMs, abortMs, owner }
    this.write({ e: 'call', c, ...claim, ...asked, scope, opens })
    const calledAt = performance.now()
    const controller = new AbortController()
    const giveUp = (): void => controller.abort()
    const abort = abortMs === undefined ? undefined : setTimeout(giveUp, abortMs)
    const lost = waitMs === undefined ? around.lost : undefined
    lost?.addEventListener('abort', giveUp)
    if (lost?.aborted) giveUp()
    const options: SectionOptions = {
      ...(waitMs !== undefined && { waitMs }),
      ...(leaseMs !== undefined && { leaseMs }),
      ...((abortMs !== undefined || lost) && { signal: controller.signal }),
      ...(owner && { owner }),
    }
    let entered = false
    const body = async (hold: AnyHold | undefined): Promise<void> => {
      entered = true
      clearTimeout(abort)
      lost?.removeEventListener('abort', giveUp)
      const within = { ...around, scope: isAlone(target) ? around.scope : inner }
      await this.#inside(step, { c, calledAt, outermost: outer.scope.length === 0 }, hold, within)
    }
    let how = 'ok'
    try {
      if (target.kind === 'compute-once')
        await this.holdfast.computeOnce(target.name, body, { ...options, ttlMs: this.ttlMs.computed })
      else how = await this.#enter(step, target, options, body)
    } catch (error) {
      how = outcomeOf(error, controller.signal) ?? 'wrong'
      if (how === 'wrong') this.write({ e: 'wrong', what: String(error) })
    } finally {
      clearTimeout(abort)
      lost?.removeEventListener('abort', giveUp)
      if (waits) this.#waiting.delete(`${name} ${owner}`)
    }
    this.write({ e: entered ? 'done' : 'fail', c, how })
  }

  async #enter(
    { way, leaseMs, handedOn }: SectionStep,
    target: Exclude<Target, { kind: 'compute-once' }>,
    options: SectionOptions,
    body: (hold: AnyHold) => Promise<void>,
  ): Promise<string> {
    const lockable = this.#handles.lockable(target)
    const asked = isPermits(target) ? { ...options, permits: target.permits } : options
    const releasing = async (hold: AnyHold): Promise<void> => {
      try {
        await (isPermits(target) ? body(hold) : hold.run(() => body(hold)))
      } finally {
        await hold.release()
      }
    }
    if (way === 'withLock') {
      await lockable.withLock(asked, body)
      return 'ok'
    }
    if (way === 'acquire' || way === 'tryAcquire') {
      const hold = await lockable[way](asked)
      if (hold === null) return 'busy'
      await (handedOn ? this.#elsewhere(releasing, hold) : releasing(hold))
      return 'ok'
    }
    return await this.holdfast.run(async () => {
      if ((await lockable[way]?.(asked)) === false) return 'busy'
      try {
        // Only a hold can be asked whether it stands.
        const hold = await lockable.tryAcquire(leaseMs === undefined ? {} : { leaseMs })
        if (hold === null) return 'lost'
        await releasing(hold)
        return 'ok'
      } finally {
        await lockable.unlock?.()
      }
    })
  }

  async #inside(
    step: SectionStep,
    call: { readonly c: number; readonly calledAt: number; readonly outermost: boolean },
    hold: AnyHold | undefined,
    around: Around,
  ): Promise<void> {
    const { c, calledAt, outermost } = call
    const { target, leaseMs } = step
    const stripe = target.kind === 'striped' ? hold?.name : undefined
    const names = target.kind === 'multi' ? target.names : [stripe ?? target.name]
    // Where there is no hold to be asked, a lease has begun with the call, at the earliest.
    const certainMs =
      leaseMs === undefined ? this.ttlMs.lease : Math.max(leaseMs - (performance.now() - calledAt), 0)
    const presence = new Presence(c, names, hold, certainMs, this.write)
    presence.enter(stripe)
    this.#running.add(presence)
    try {
      const stands = (): boolean => around.stands() && presence.look()
      const lost = [around.lost, hold?.signal].flatMap((signal) => signal ?? [])
      // Sections of one owner are in the lock side by side, and their transactions are not kept apart.
      if (outermost && step.booksMs !== undefined && hold && 'confirm' in hold)
        await this.#book(c, hold, step.booksMs)
      await this.#all(step.body, { ...around, stands, lost: AbortSignal.any(lost) })
    } finally {
      presence.look()
      this.#running.delete(presence)
      presence.exit()
      if (step.lapses && target.kind === 'permits' && hold && 'permitIds' in hold)
        await this.#letLapse(c, target.name, hold.permitIds)
    }
  }

  async #book(c: number, hold: Hold | MultiHold, ms: number): Promise<void> {
    const booked = await this.ledger?.book(hold.name, ms, async (tx) => {
      await hold.confirm(tx).catch((error: unknown) => {
        this.#unlessExpected('confirm', error)
        throw error
      })
    })
    if (booked) this.write({ e: 'booked', c })
  }

  /** Makes the lease of permits that nobody needs any more so short that it is over before they are released. */
  async #letLapse(c: number, name: string, ids: readonly string[]): Promise<void> {
    const semaphore = this.holdfast.permitExpirableSemaphore(name)
    try {
      const taken = await Promise.all(ids.map((id) => semaphore.updateLeaseTime(id, LAPSE_MS)))
      if (!taken.every(Boolean)) return
      this.write({ e: 'lets', c, ms: LAPSE_MS })
      await pause(2 * LAPSE_MS)
    } catch (error) {
      this.#unlessExpected('updateLeaseTime', error)
    }
  }

  #unlessExpected(what: string, error: unknown): void {
    if (outcomeOf(error) === undefined) this.write({ e: 'wrong', what: `${what}: ${String(error)}` })
  }

  #inRun({ scope, stands }: Around): Around {
    this.numbers.runs -= 1
    return { scope: [...scope, this.numbers.runs], stands }
  }
}

type PermitsTarget = Target & { kind: 'semaphore' | 'permits' }

function isPermits(target: Target): target is PermitsTarget {
  return target.kind === 'semaphore' || target.kind === 'permits'
}

/** Whether each acquisition stands for itself, and nothing re-enters it. */
function isAlone(target: Target): boolean {
  return isPermits(target) || target.kind === 'compute-once'
}
