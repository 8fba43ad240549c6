/** A counter that is not kept for ever: in no order of minting, expiry and loss does a token come twice or go back. */
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { runsOr } from '../properties/runs.js'
import {
  clusterStand,
  fenceOf,
  freshName,
  freshOwner,
  memoryStand,
  type Session,
  standaloneStand,
} from './stand.js'

type Step =
  | { readonly what: 'tenure' | 'reentry' | 'hand-over' | 'forced' }
  | { readonly what: 'pass'; readonly ms: number }
  /** What befalls a server's counter: deleted, evicted or flushed; restored from a backup; counted by others. */
  | { readonly what: 'delete' | 'restore' | 'foreign' }

const steps = (longestMs: number, ...more: Step[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      fc.constantFrom<Step>(
        { what: 'tenure' },
        { what: 'tenure' },
        { what: 'hand-over' },
        { what: 'reentry' },
        { what: 'forced' },
        ...more,
      ),
      fc.record({ what: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: longestMs }) }),
    ),
    { minLength: 2, maxLength: 25 },
  )

/** Carries the steps out, and gives the tokens in the order in which the tenures began. */
class Course {
  readonly tokens: bigint[] = []
  #holder: Owner | undefined
  /** Whether the counter is as this tenure has left it, or gone. */
  #untouched = true
  readonly #name = freshName()

  constructor(
    private readonly session: Session,
    private readonly pass: (ms: number) => Promise<void>,
    private readonly ask: (...command: [string, ...string[]]) => Promise<unknown>,
  ) {}

  async take(step: Step): Promise<void> {
    const { fenced } = this.session
    const request = { name: this.#name, owner: freshOwner(), heldBefore: 0, leaseMs: 3_600_000 }
    const held = this.#holder
    const counter = `redisson_lock_token:{${this.#name}}`
    if (step.what === 'pass') await this.pass(step.ms)
    else if (step.what === 'delete') await this.ask('DEL', counter)
    else if (step.what === 'restore') await this.ask('SET', counter, String(this.tokens[0] ?? 1))
    else if (step.what === 'foreign') await this.ask('INCR', counter)
    else if (step.what === 'tenure') {
      if (held) await fenced.release({ ...request, owner: held, heldBefore: 1, repeated: true })
      this.#minted(await fenced.acquire(request), request.owner)
    } else if (step.what === 'forced') {
      await fenced.forceUnlock(this.#name)
      this.#minted(await fenced.acquire(request), request.owner)
    } else if (held && step.what === 'hand-over') {
      this.#minted(await fenced.handOver({ ...request, from: held }), request.owner)
    } else if (held) {
      const reply = await fenced.acquire({ ...request, owner: held, heldBefore: 1 })
      // The counter may have gone in the midst of a tenure: then there is nothing to tell.
      if (reply.outcome === 'granted' && reply.fence !== undefined && this.#untouched)
        expect(reply.fence).toBe(this.tokens.at(-1))
      await fenced.release({ ...request, owner: held, heldBefore: 2, repeated: true })
    }
    if (step.what === 'restore' || step.what === 'foreign') this.#untouched = false
  }

  #minted(reply: Parameters<typeof fenceOf>[0], owner: Owner): void {
    this.tokens.push(fenceOf(reply))
    this.#holder = owner
    this.#untouched = true
  }

  check(): void {
    for (const [index, token] of this.tokens.entries())
      expect(token, `token ${index} of ${this.tokens}`).toBeGreaterThan(this.tokens[index - 1] ?? 0n)
  }
}

test('memory, virtual time: tokens grow, however long the counter is kept', () =>
  fc.assert(
    fc.asyncProperty(steps(20_000), fc.integer({ min: 1_000, max: 10_000 }), async (all, retentionMs) => {
      const clock = new VirtualClock()
      const stand = memoryStand(clock)
      const course = new Course(
        stand.session(retentionMs),
        async (ms) => clock.skip(ms),
        () => stand.ask(''),
      )
      for (const step of all) await course.take(step)
      course.check()
    }),
    runsOr(300),
  ))

describe.each([
  { where: 'standalone', stand: standaloneStand() },
  { where: 'cluster', stand: clusterStand() },
])('a real counter that is kept for some milliseconds ($where)', ({ stand }) => {
  const lost: Step[] = [{ what: 'delete' }, { what: 'restore' }, { what: 'foreign' }]
  afterAll(() => stand.close())

  test('tokens grow, also where it expires, is lost, restored or counted by others', async () => {
    const sessions = new Map([1, 5, 1_000].map((retentionMs) => [retentionMs, stand.session(retentionMs)]))
    await fc.assert(
      fc.asyncProperty(steps(8, ...lost), fc.constantFrom(...sessions.values()), async (all, session) => {
        const course = new Course(session, stand.pass, (command, ...args) => stand.ask(command, ...args))
        for (const step of all) await course.take(step)
        course.check()
      }),
      runsOr(25),
    )
  })

  test('it expires that long after the last token, and the next is of the server’s clock', async () => {
    const name = freshName()
    const { fenced } = stand.session(60_000)
    const request = { name, owner: freshOwner(), heldBefore: 0, leaseMs: 30_000 }
    const before = await microseconds(stand.ask)
    const token = fenceOf(await fenced.acquire(request))
    expect(token).toBeGreaterThanOrEqual(before)
    expect(token).toBeLessThanOrEqual(await microseconds(stand.ask))
    expect(await stand.ask('PTTL', `redisson_lock_token:{${name}}`)).toBeGreaterThan(50_000)
    expect(await stand.ask('PTTL', `redisson_lock_token:{${name}}`)).toBeLessThanOrEqual(60_000)
  })

  test('a client that keeps counters for ever makes it stay', async () => {
    const name = freshName()
    const request = { name, owner: freshOwner(), heldBefore: 0, leaseMs: 30_000 }
    const first = fenceOf(await stand.session(60_000).fenced.acquire(request))
    const forever = stand.session().fenced
    const heir = { ...request, owner: freshOwner(), from: request.owner }
    expect(fenceOf(await forever.handOver(heir))).toBe(first + 1n)
    expect(await stand.ask('PTTL', `redisson_lock_token:{${name}}`)).toBe(-1)
  })

  test('X1: an acquire that comes again when the counter has gone has a greater token', async () => {
    const name = freshName()
    const { fenced } = stand.session(60_000)
    const request = { name, owner: freshOwner(), heldBefore: 0, leaseMs: 30_000 }
    const first = fenceOf(await fenced.acquire(request))
    await stand.ask('DEL', `redisson_lock_token:{${name}}`)
    expect(await fenced.acquire({ ...request, heldBefore: 1 })).toEqual({ outcome: 'granted' })
    expect(await fenced.readTenure(name, request.owner)).toEqual({ held: true, lastFence: undefined })
    expect(fenceOf(await fenced.acquire(request))).toBeGreaterThan(first)
  })
})

type Ask = (command: string, ...args: Array<string | number>) => Promise<unknown>

async function microseconds(ask: Ask): Promise<bigint> {
  const told = await ask('EVAL', "local t = redis.call('TIME') return t[1] .. string.format('%06d', t[2])", 0)
  return BigInt(String(told))
}
