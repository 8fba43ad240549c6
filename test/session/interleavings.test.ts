/** A store with sessions under any order of messages: each call to the server and each answer is a step that the scheduler chooses. */
import fc, { type Scheduler } from 'fast-check'
import { expect, test, vi } from 'vitest'
import { LockLostError, LockTimeoutError, StoreError } from '../../src/base/errors/errors.js'
import { type Hold, Holdfast } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import type { LinkListener } from '../../src/stores/session/link.js'
import { Ensemble } from '../memory-session/ensemble.js'
import { MemorySessionStore } from '../memory-session/store.js'
import { runsOr, timeLimitMs } from '../model/model.js'
import { PassedLink } from './passed-link.js'

const kinds = ['lock', 'fairLock', 'fencedLock', 'write', 'read', 'semaphore'] as const

/** The kinds of one plan: few, so that they meet. */
const families: readonly (readonly Section['kind'][])[] = [
  ['lock', 'lock', 'fairLock', 'fencedLock'],
  ['read', 'write', 'read'],
  ['semaphore'],
  kinds,
]

interface Section {
  readonly lock: number
  readonly kind: (typeof kinds)[number]
  readonly waitMs: number | undefined
  readonly leaseMs: number | undefined
  readonly nested: boolean
}

/** For each client the tasks that run at once, each of so many sections, one after the other. */
type Plan = readonly (readonly (readonly Section[])[])[]

function plansOf(leases: readonly (number | undefined)[]): fc.Arbitrary<Plan> {
  return fc.constantFrom(...families).chain((family) => {
    const section = fc.record({
      lock: fc.constantFrom(0, 0, 1),
      kind: fc.constantFrom(...family),
      waitMs: fc.constantFrom(undefined, undefined, 0, 200),
      leaseMs: fc.constantFrom(...leases),
      nested: fc.boolean(),
    })
    const tasks = fc.array(fc.array(section, { maxLength: 3 }), { minLength: 1, maxLength: 3 })
    return fc.array(tasks, { minLength: 2, maxLength: 3 })
  })
}

/** What happens beside the plan. */
interface Trouble {
  /** Which answers are lost. */
  readonly losses: readonly boolean[]
  /** How much time passes before each of the first steps; then, and where absent, none while there is anything to do. */
  readonly stepsMs?: readonly number[]
}

type Work = (hold: Hold) => Promise<void>

/** What a section enters, what its owner enters within it, and how many may be inside beside it. */
function handlesOf(client: Holdfast, { lock, kind, waitMs, leaseMs }: Section) {
  const options = { ...(waitMs !== undefined && { waitMs }), ...(leaseMs !== undefined && { leaseMs }) }
  // One name for one kind: kinds of one name are one lock and do not re-enter each other.
  const name = `${kind} ${lock}`
  if (kind === 'semaphore') {
    const semaphore = client.semaphore(name)
    const outer = (work: Work) => semaphore.withPermits(options, work)
    return { name, outer, inner: undefined, beside: lock }
  }
  if (kind !== 'read' && kind !== 'write') {
    const inner = client[kind](name)
    return { name, outer: (work: Work) => inner.withLock(options, work), inner, beside: 0 }
  }
  const both = client.readWriteLock(`both ${lock}`)
  const side = kind === 'read' ? both.readLock() : both.writeLock()
  return {
    name: both.name,
    outer: (work: Work) => side.withLock(options, work),
    inner: both.readLock(),
    beside: kind === 'read' ? Infinity : 0,
  }
}

/** A way to the server on which each message is a step of its own, and some answers are lost. */
class ScheduledLink extends PassedLink {
  constructor(
    ensemble: Ensemble,
    listener: LinkListener,
    private readonly scheduler: Scheduler,
    private readonly loses: () => boolean,
  ) {
    super(ensemble, listener)
  }

  protected override get ordered(): boolean {
    return false
  }

  protected async pass<Reply>(label: string, call: () => Promise<Reply>): Promise<Reply> {
    await this.scheduler.schedule(Promise.resolve(), `${label} arrives`)
    const reply = await call()
    await this.scheduler.schedule(Promise.resolve(), `${label} answers`)
    if (this.loses()) throw new StoreError('timeout', label, { transient: true })
    return reply
  }

  protected deliver(what: string, hear: () => void): void {
    void this.scheduler.schedule(Promise.resolve(), `news of ${what}`).then(hear)
  }
}

/** The longest that a plan may take until all is done, in steps. */
const MOST_STEPS = 40_000

async function run(plan: Plan, { losses, stepsMs }: Trouble, scheduler: Scheduler): Promise<void> {
  const clock = new VirtualClock()
  const ensemble = new Ensemble(clock)
  const remaining = [...losses]
  const linkTo = (server: Ensemble, listener: LinkListener) =>
    new ScheduledLink(server, listener, scheduler, () => remaining.shift() ?? false)
  const clients = plan.map(() => new Holdfast(new MemorySessionStore(ensemble, linkTo)))
  const preparing = new Holdfast(new MemorySessionStore(ensemble))
  for (const lock of [0, 1]) await preparing.semaphore(`semaphore ${lock}`).trySetPermits(lock + 1)
  await preparing.close()
  const inside = new Map<string, Set<{ readonly beside: number; readonly hold: Hold }>>()
  let finished = 0
  const enter = async (client: Holdfast, section: Section): Promise<void> => {
    const { waitMs, nested } = section
    const { name, outer, inner, beside } = handlesOf(client, section)
    const work = async (hold: Hold): Promise<void> => {
      const all = inside.get(name) ?? new Set()
      const own = { beside, hold }
      inside.set(name, all.add(own))
      // Who has been told that it lost its lock does not count.
      const now = [...all].filter((each) => !each.hold.signal.aborted)
      const most = Math.min(...now.map((each) => each.beside))
      expect(now.length - 1, `owners beside one another in ${name}`).toBeLessThanOrEqual(most)
      try {
        await scheduler.schedule(Promise.resolve(), 'section')
        if (nested) await inner?.withLock(() => scheduler.schedule(Promise.resolve(), 'nested section'))
      } finally {
        all.delete(own)
      }
      finished += 1
    }
    await outer(work).catch((error: unknown) => {
      // A call whose time is up may end with an answer that was lost: what it took is given back.
      const inVain = error instanceof LockTimeoutError || (error instanceof StoreError && error.transient)
      const lost = error instanceof LockLostError
      if (stepsMs ? !inVain && !lost : waitMs === undefined || !inVain) throw error
    })
  }
  let steps = 0
  const goOn = async (work: Promise<unknown>): Promise<void> => {
    const state = { over: false }
    const done = work.finally(() => {
      state.over = true
    })
    done.catch(() => undefined)
    while (!state.over) {
      const stepMs = stepsMs?.[steps] ?? 0
      if (stepMs > 0) await clock.advance(stepMs)
      if (scheduler.count() > 0) await scheduler.waitNext(1)
      else await clock.advance(5)
      await new Promise<void>((resolve) => setImmediate(resolve))
      steps += 1
      if (steps > MOST_STEPS) throw new Error(`stuck: ${JSON.stringify(clients.map(({ census }) => census))}`)
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
  if (!stepsMs) expect(finished).toBeGreaterThanOrEqual(endless)
  await goOn(Promise.all(clients.map((client) => client.close())))
  // What is under way does not count for what is closed.
  while (scheduler.count() > 0) {
    await scheduler.waitNext(1)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  for (const { census } of clients) expect(Object.values(census).filter((count) => count > 0)).toEqual([])
  // What could not be given back is gone with its session.
  await clock.advance(120_000)
  expect(ensemble.locks).toEqual([])
}

async function check(leases: readonly (number | undefined)[], trouble: fc.Arbitrary<Trouble>): Promise<void> {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  try {
    await fc.assert(
      fc.asyncProperty(plansOf(leases), trouble, fc.scheduler(), (plan, each, scheduler) =>
        run(plan, each, scheduler),
      ),
      { ...runsOr(200), interruptAfterTimeLimit: timeLimitMs - 10_000, markInterruptAsFailure: true },
    )
  } finally {
    random.mockRestore()
  }
}

const lossesOf = (most: number): fc.Arbitrary<readonly boolean[]> =>
  fc.array(fc.constantFrom(false, false, false, true), { maxLength: most })

test.each([
  ['the server answers', 0],
  ['answers are lost (S3, X1)', 25],
] as const)(
  'O1, O2, W1, W4: %s: exclusion, nobody is left waiting, nothing is left behind',
  { timeout: timeLimitMs },
  async (_, most) => {
    await check([undefined], fc.record({ losses: lossesOf(most) }))
  },
)

test('L3, S1, S4: messages take so long that leases and sessions end: nobody is inside beside one that has not been told of its loss', {
  timeout: timeLimitMs,
}, async () => {
  const stepsMs = fc.array(fc.constantFrom(0, 0, 0, 0, 5, 500, 4_000, 35_000), {
    minLength: 3,
    maxLength: 20,
  })
  await check([undefined, undefined, 3_000], fc.record({ losses: lossesOf(25), stepsMs }))
})
