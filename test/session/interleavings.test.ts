/** A store with sessions under any order of messages: each call to the server and each answer is a step that the scheduler chooses. */
import fc, { type Scheduler } from 'fast-check'
import { expect, test, vi } from 'vitest'
import { LockTimeoutError, StoreError } from '../../src/errors/errors.js'
import { Holdfast } from '../../src/index.js'
import { VirtualClock } from '../../src/memory/index.js'
import { Ensemble } from '../../src/memory-session/ensemble.js'
import { MemoryLink } from '../../src/memory-session/link.js'
import { MemorySessionStore } from '../../src/memory-session/store.js'
import type { AssignRequest, EntryWatch, StandRequest } from '../../src/session/link.js'
import { runsOr, timeLimitMs } from '../model/model.js'

/** A way to the server on which each message is a step of its own, and some answers are lost. */
class ScheduledLink extends MemoryLink {
  constructor(
    ensemble: Ensemble,
    private readonly scheduler: Scheduler,
    private readonly loses: () => boolean,
  ) {
    super(ensemble)
  }

  override begin(ttlMs: number) {
    return this.#pass('begin', () => super.begin(ttlMs))
  }

  override keepAlive(session: string) {
    return this.#pass('keepAlive', () => super.keepAlive(session))
  }

  override stand(request: StandRequest) {
    return this.#pass('stand', () => super.stand(request))
  }

  override read(name: string) {
    return this.#pass('read', () => super.read(name))
  }

  override assign(request: AssignRequest) {
    return this.#pass('assign', () => super.assign(request))
  }

  override remove(name: string, key: string) {
    return this.#pass('remove', () => super.remove(name, key))
  }

  override watch(name: string, key: string, onGone: () => void): EntryWatch {
    let closed = false
    const watch = super.watch(name, key, () => {
      void this.scheduler.schedule(Promise.resolve(), 'news').then(() => {
        if (!closed) onGone()
      })
    })
    return {
      close: () => {
        closed = true
        watch.close()
      },
    }
  }

  async #pass<Reply>(label: string, call: () => Promise<Reply>): Promise<Reply> {
    await this.scheduler.schedule(Promise.resolve(), `${label} arrives`)
    const reply = await call()
    await this.scheduler.schedule(Promise.resolve(), `${label} answers`)
    if (this.loses()) throw new StoreError('timeout', label, { transient: true })
    return reply
  }
}

interface Section {
  readonly lock: number
  readonly kind: 'lock' | 'fairLock' | 'fencedLock'
  readonly waitMs: number | undefined
  readonly nested: boolean
}

const section: fc.Arbitrary<Section> = fc.record({
  lock: fc.nat(1),
  kind: fc.constantFrom('lock' as const, 'lock' as const, 'fairLock' as const, 'fencedLock' as const),
  waitMs: fc.constantFrom(undefined, undefined, 0, 200),
  nested: fc.boolean(),
})

/** For each client the tasks that run at once, each of so many sections, one after the other. */
const plans = fc.array(fc.array(fc.array(section, { maxLength: 3 }), { minLength: 1, maxLength: 3 }), {
  minLength: 2,
  maxLength: 3,
})

/** The longest that a plan may take until all is done, in virtual time. */
const LONGEST_MS = 400_000

async function run(
  plan: readonly (readonly (readonly Section[])[])[],
  losses: readonly boolean[],
  scheduler: Scheduler,
) {
  const clock = new VirtualClock()
  const ensemble = new Ensemble(clock)
  const remaining = [...losses]
  const linkTo = () => new ScheduledLink(ensemble, scheduler, () => remaining.shift() ?? false)
  const clients = plan.map(() => new Holdfast(new MemorySessionStore(ensemble, linkTo)))
  const inside = new Map<string, number>()
  let finished = 0
  const enter = async (client: Holdfast, { lock, kind, waitMs, nested }: Section): Promise<void> => {
    // One name for one kind: kinds of one name are one lock and do not re-enter each other.
    const handle = client[kind](`${kind} ${lock}`)
    const work = async (): Promise<void> => {
      const now = (inside.get(handle.name) ?? 0) + 1
      inside.set(handle.name, now)
      expect(now, 'owners inside').toBe(1)
      await scheduler.schedule(Promise.resolve(), 'section')
      if (nested) await handle.withLock(() => scheduler.schedule(Promise.resolve(), 'nested section'))
      inside.set(handle.name, 0)
      finished += 1
    }
    await handle.withLock(waitMs === undefined ? {} : { waitMs }, work).catch((error: unknown) => {
      // A call whose time is up may end with an answer that was lost: what it took is given back.
      const inVain = error instanceof LockTimeoutError || (error instanceof StoreError && error.transient)
      if (waitMs === undefined || !inVain) throw error
    })
  }
  const goOn = async (work: Promise<unknown>): Promise<void> => {
    const state = { over: false }
    const done = work.finally(() => {
      state.over = true
    })
    done.catch(() => undefined)
    while (!state.over) {
      if (scheduler.count() > 0) await scheduler.waitNext(1)
      else await clock.advance(5)
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (clock.now() > LONGEST_MS)
        throw new Error(`stuck: ${JSON.stringify(clients.map(({ census }) => census))}`)
    }
    await done
  }
  const tasks = plan.flatMap((ofClient, number) =>
    ofClient.map(async (sections) => {
      const client = clients[number]
      for (const each of sections) if (client) await enter(client, each)
    }),
  )
  await goOn(Promise.all(tasks))
  const endless = plan.flat(2).filter(({ waitMs }) => waitMs === undefined).length
  expect(finished).toBeGreaterThanOrEqual(endless)
  await goOn(Promise.all(clients.map((client) => client.close())))
  for (const { census } of clients) expect(Object.values(census).filter((count) => count > 0)).toEqual([])
  // What could not be given back is gone with its session.
  await clock.advance(120_000)
  expect(ensemble.names()).toEqual([])
}

test.each([
  ['the server answers', 0],
  ['answers are lost (S3, X1)', 25],
] as const)(
  'O1, O2, W1, W4: %s: exclusion, nobody is left waiting, nothing is left behind',
  {
    timeout: timeLimitMs,
  },
  async (_, mostLosses) => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const losses = fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      { maxLength: mostLosses },
    )
    try {
      await fc.assert(
        fc.asyncProperty(plans, losses, fc.scheduler(), (plan, lost, scheduler) =>
          run(plan, lost, scheduler),
        ),
        { ...runsOr(200), interruptAfterTimeLimit: timeLimitMs - 10_000, markInterruptAsFailure: true },
      )
    } finally {
      random.mockRestore()
    }
  },
)
