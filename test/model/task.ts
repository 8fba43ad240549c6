import type { Owner } from '../../src/base/identity/owner.js'
import type { Ask, Held } from './history.js'
import type { ModelClient } from './model-client.js'
import type { Step, Terms } from './program.js'

/** Where a step stands: what its task holds around it, so that no plan waits for itself. */
interface Place {
  readonly parent: Place | undefined
  /** Who acts here: one of the client's explicit owners, or a scope's own; undefined outside any scope. */
  readonly actor: Actor | undefined
  /** Locks that are held around here, and by whom. */
  readonly held: ReadonlyArray<{ readonly lock: number; readonly actor: Actor }>
}

type Actor = number | symbol

/** Those that run now, over all tasks. */
export type Sections = Set<{ readonly held: Held; readonly place: Place }>

/** How long a call waits at most where waiting for ever might be waiting for itself. */
const BOUNDED_WAIT_MS = 120
/** A late release comes after so many steps of the scheduler. */
const LATE_STEPS = 15

/** Carries out one task of a plan, and tells the history what it experiences. */
export class Task {
  readonly #detached: Promise<void>[] = []

  constructor(
    private readonly client: ModelClient,
    private readonly sections: Sections,
  ) {}

  async run(steps: readonly Step[]): Promise<void> {
    await this.#steps(steps, { parent: undefined, actor: undefined, held: [] })
    await Promise.all(this.#detached)
  }

  async #steps(steps: readonly Step[], place: Place, parallel = false): Promise<void> {
    if (parallel) await Promise.all(steps.map((step) => this.#step(step, place)))
    else for (const step of steps) await this.#step(step, place)
  }

  async #step(step: Step, place: Place): Promise<void> {
    const { client } = this
    await client.turn(step.do)
    if (step.do === 'idle') await client.idle(step.ms)
    else if (step.do === 'assert') client.assertHolds()
    else if (step.do === 'section') await this.#section(step, place)
    else if (step.do === 'hold') await this.#hold(step, place)
    else if (step.do === 'scope') await this.#scope(step, place)
    else if (step.do === 'force') await client.excusing(undefined, () => client.lock(step.lock).forceUnlock())
    else this.#detached.push(this.#steps(step.body, { ...place, parent: place }))
  }

  async #section(step: Extract<Step, { do: 'section' }>, place: Place): Promise<void> {
    const { client } = this
    const { options, ask } = this.#ask(step, place, false)
    await client.excusing(ask, () =>
      client.lock(step.lock).withLock(options, async (hold) => {
        const held = client.granted(ask, hold)
        const actor = step.owner ?? place.actor ?? Symbol('a new owner')
        const inner: Place = { parent: place, actor, held: [...place.held, { lock: step.lock, actor }] }
        const section = { held, place: inner }
        this.#checkSiblings(held, inner)
        this.sections.add(section)
        try {
          await this.#steps(step.body, inner, step.parallel)
        } finally {
          this.sections.delete(section)
          client.history.releasing(held)
        }
      }),
    )
  }

  async #hold(step: Extract<Step, { do: 'hold' }>, place: Place): Promise<void> {
    const { client } = this
    const { options, ask } = this.#ask(step, place, step.once)
    const lock = client.lock(step.lock)
    const hold = await client.excusing(ask, () =>
      step.once ? lock.tryAcquire(options) : lock.acquire(options),
    )
    if (!hold) return client.history.refused(ask, 'busy')
    const held = client.granted(ask, hold)
    const actor = step.owner ?? place.actor ?? Symbol('a new owner')
    const around = [...place.held, { lock: step.lock, actor }]
    await this.#steps(step.body, { ...place, parent: place, held: around })
    if (step.release === 'late') {
      this.#detached.push(client.after(LATE_STEPS, 'late release', () => this.#release(held)))
    } else if (step.release === 'unawaited') this.#detached.push(this.#release(held))
    else await Promise.all([this.#release(held), step.release === 'twice' ? this.#release(held) : undefined])
  }

  /** Redisson's shape: `lock()` and `unlock()` in a scope. */
  async #scope(step: Extract<Step, { do: 'scope' }>, place: Place): Promise<void> {
    const { client } = this
    const actor = place.actor ?? Symbol('a new owner')
    await client.excusing(undefined, () =>
      client.holdfast.run(async () => {
        const lock = client.lock(1)
        let locked = 0
        for (let count = 0; count < step.locks; count += 1)
          if (await client.excusing(undefined, () => lock.tryLock({ waitMs: BOUNDED_WAIT_MS }))) locked += 1
        await this.#steps(step.body, { parent: place, actor, held: [...place.held, { lock: 1, actor }] })
        for (let count = 0; count < locked; count += 1) await client.excusing(undefined, () => lock.unlock())
      }),
    )
  }

  async #release(held: Held): Promise<void> {
    this.client.history.releasing(held)
    await this.client.excusing(undefined, () => held.hold.release())
  }

  #ask(terms: Terms, place: Place, once: boolean) {
    const { client } = this
    const mayWaitForItself = place.held.some(
      ({ lock, actor }) =>
        lock > terms.lock || (lock === terms.lock && actor !== (terms.owner ?? place.actor)),
    )
    const waitMs = terms.waitMs ?? (mayWaitForItself ? BOUNDED_WAIT_MS : undefined)
    const owner: Owner | undefined = terms.owner === undefined ? undefined : client.owners[terms.owner]
    const controller = new AbortController()
    if (terms.abortAfter !== undefined)
      void client.after(terms.abortAfter, 'abort', () => controller.abort(client.aborted))
    const deadline = waitMs === undefined ? Infinity : client.clock.now() + waitMs
    const ask: Ask = {
      client: client.number,
      name: client.lock(terms.lock).name,
      fresh: owner === undefined && place.actor === undefined,
      once: waitMs === 0 || (once && waitMs === undefined),
      short: terms.leaseMs !== undefined,
      since: client.nextCall(),
      expired: () => controller.signal.aborted || client.closing || client.clock.now() >= deadline,
    }
    client.history.ask(ask)
    const options = {
      signal: controller.signal,
      ...(waitMs !== undefined && { waitMs }),
      ...(terms.leaseMs !== undefined && { leaseMs: terms.leaseMs }),
      ...(owner && { owner }),
    }
    return { options, ask }
  }

  /** Siblings take turns (rule O2): whatever section of the lock still runs must be one that this one is nested in. */
  #checkSiblings(held: Held, place: Place): void {
    for (const other of this.sections) {
      if (other.held.hold.name !== held.hold.name || other.held.hold.remainingMs() === 0) continue
      if (other.held.hold.owner !== held.hold.owner || encloses(other.place, place)) continue
      this.client.history.fail(`two sections of ${held.hold.name} run side by side as ${held.hold.owner}`)
    }
  }
}

function encloses(outer: Place, inner: Place): boolean {
  for (let place: Place | undefined = inner; place; place = place.parent) if (place === outer) return true
  return false
}
