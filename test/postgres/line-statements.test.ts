/** One statement that gives a lock to the next in line, and one that adds a place to it: each comes to what the change of the row would, or does nothing. */
import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { clientOf, isPlace, type Place } from '../../src/stores/line/place.js'
import { proofOf } from '../../src/stores/line/proof.js'
import { type ExclusiveBody, ExclusiveLock, exclusiveLocks } from '../../src/stores/rows/exclusive-lock.js'
import type { Message } from '../../src/stores/rows/rows.js'
import { until } from '../servers/until.js'
import { type Client, missing, Stand, title } from './server.js'

const FIRST_LEASE_MS = 5_000
const WORD = 'what only the row and the client know'

/** A body in which those places stand in line, behind an owner. */
interface Scene {
  readonly places: readonly { readonly mode: 'x' | 'f'; readonly process: number }[]
  readonly processes: readonly {
    readonly looksInMs: number
    readonly leaseMs: number
    readonly away: boolean
  }[]
  readonly fence: bigint | undefined
  readonly letIn: 'nobody' | 'owner' | 'another'
  readonly beside: 'nothing' | 'lingers' | 'listeners' | 'value' | 'ties'
  readonly holds: number
  /** How long the owner has it. */
  readonly leaseMs: number
}

const usual: Scene = {
  places: [{ mode: 'x', process: 0 }],
  processes: [4_000, 3_000, 5_000].map((leaseMs) => ({ looksInMs: 100, leaseMs, away: false })),
  fence: 7n,
  letIn: 'owner',
  beside: 'nothing',
  holds: 1,
  leaseMs: 60_000,
}
const lookingLate = usual.processes.map((process) => ({ ...process, looksInMs: 20_000 }))

function placesOfMode(mode: 'x' | 'f', ...processes: number[]): Scene['places'] {
  return processes.map((process) => ({ mode, process }))
}

const process = fc.integer({ min: 0, max: 2 })
const scenes: fc.Arbitrary<Scene> = fc.record({
  places: fc.array(fc.record({ mode: fc.constantFrom('x' as const, 'f' as const), process }), {
    maxLength: 6,
  }),
  processes: fc.tuple(
    ...usual.processes.map(() =>
      fc.record({
        looksInMs: fc.constantFrom(0, 100, 3_049, 4_051, 30_000),
        leaseMs: fc.constantFrom(50, 3_000, 4_000),
        away: fc.integer({ min: 0, max: 15 }).map((one) => one === 0),
      }),
    ),
  ),
  fence: fc.constantFrom(undefined, 1n, 2n ** 60n),
  letIn: fc.constantFrom('nobody' as const, 'owner' as const, 'owner' as const, 'another' as const),
  beside: fc.oneof(
    { weight: 6, arbitrary: fc.constant('nothing' as const) },
    fc.constantFrom('lingers' as const, 'listeners' as const, 'value' as const, 'ties' as const),
  ),
  holds: fc.constantFrom(1, 1, 1, 2),
  leaseMs: fc.constantFrom(60_000, 60_000, 60_000, 3_000, 0),
})

/** In how many scenes of a hundred the statement did it; it is checked in all. */
async function doneIn(check: (scene: Scene, name: string) => Promise<boolean>): Promise<number> {
  let count = 0
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      if (await check(scene, `random ${randomUUID()}`)) count += 1
    }),
    { numRuns: 100, seed: 7 },
  )
  return count
}

/** A message that has its process look. */
function isLook({ text }: Message): boolean {
  return text.startsWith('{"lookInMs"')
}

/** A line without the times at which its processes look. */
function unlooked({ line }: ExclusiveBody): unknown {
  const processes = Object.entries(line.processes).map(([client, each]) => [client, { ...each, looksAt: 0 }])
  return { ...line, processes: Object.fromEntries(processes) }
}

const BEFORE_US = BigInt(Date.now() - 60_000) * 1_000n

describe.skipIf(missing)(title, () => {
  const server = new Stand()
  let holder: Client
  let waiters: readonly [Client, Client, Client]
  let owner: Owner
  let name: string

  beforeEach(async () => {
    name = randomUUID()
    holder = server.client()
    waiters = [server.client(), server.client(), server.client()]
    owner = `${holder.id}:1`
    for (const { session } of waiters) await session.inbox?.opened()
  })

  const play = (scene: Scene, body: ExclusiveBody, now: number): void => {
    const { holds, fence, beside, letIn } = scene
    Object.assign(body, { owner, holds, endsAt: now + scene.leaseMs, fence })
    for (const [index, { mode, process }] of scene.places.entries()) {
      const client = waiters[process]?.id ?? ''
      const { looksInMs = 0, leaseMs = 1, away = false } = scene.processes[process] ?? {}
      body.line.places.push(`${mode}:${client}:${index + 1}`)
      body.line.processes[client] = {
        places: (body.line.processes[client]?.places ?? 0) + 1,
        looksAt: now + looksInMs,
        leaseMs,
        word: `word of ${client}`,
        ...(away && { awaySince: now }),
      }
    }
    if (letIn !== 'nobody' && scene.places.length > 0)
      body.line.letIn = letIn === 'owner' ? [owner] : [owner, `${waiters[2].id}:99`]
    if (beside === 'lingers') body.lingers = { told: false }
    if (beside === 'listeners') body.listeners.push(waiters[2].id)
    if (beside === 'value') body.value = { text: 'not for the server: \0', until: now + 60_000 }
    if (beside === 'ties') body.ties['12'] = owner
  }

  const setUp = (scene: Scene): Promise<void> =>
    holder.session.change(exclusiveLocks, name, ({ body, now }) => play(scene, body, now))

  /** What the row says, and when it said so, without changing it. */
  const read = () =>
    holder.session.change(exclusiveLocks, name, ({ body, now }) => ({ body: structuredClone(body), now }))

  /** The row as the change would see it, and whom that would tell. */
  const changed = (body: ExclusiveBody, now: number) => {
    const told: Array<{ client: string; message: Message }> = []
    const lock = new ExclusiveLock(name, {
      body,
      now,
      firstFence: BigInt(Math.floor(now * 1_000)),
      reaches: (client) => waiters.some(({ id }) => id === client),
      ended: () => false,
      tell: (client, message) => told.push({ client, message }),
    })
    return { lock, told }
  }

  describe('passing on', () => {
    const pass = (from = owner, of = name) => holder.session.express.free(of, from, true)

    /** Passes on, and compares. Returns whether it did. */
    const passed = async (scene: Scene): Promise<boolean> => {
      await setUp(scene)
      for (const { messages } of waiters) messages.length = 0
      const before = await read()
      const done = await pass()
      const { body } = await read()
      if (!done) {
        expect(body).toEqual(before.body)
        return false
      }
      const leaseMs = scene.processes[scene.places[0]?.process ?? -1]?.leaseMs ?? 0
      // When it was done shows in the end of the lease.
      const at = body.owner === undefined ? before.now : body.endsAt - leaseMs
      expect(at).toBeGreaterThanOrEqual(before.now - 0.01)
      const wanted = before.body
      const { lock, told } = changed(wanted, at)
      lock.free()
      lock.line.callHead()
      // The token tells since when it is held.
      const untimed = { endsAt: 0, fence: undefined, since: undefined }
      const [is, wants] = [body, wanted].map((each) => ({ ...each, ...untimed, line: unlooked(each) }))
      expect(is).toEqual(wants)
      for (const [client, { looksAt }] of Object.entries(wanted.line.processes))
        expect(body.line.processes[client]?.looksAt).toBeCloseTo(looksAt, 2)
      const minted = wanted.fence !== scene.fence
      // A new token is no less than the server's clock, in microseconds.
      if (minted && (scene.fence ?? 0n) < BEFORE_US) expect(body.fence).toBeGreaterThan(BEFORE_US)
      else expect(body.fence).toBe(wanted.fence)
      if (body.owner !== undefined) expect(body.endsAt).toBeCloseTo(wanted.endsAt, 2)
      expect(told.filter(({ message }) => !isLook(message))).toHaveLength(scene.places.length > 0 ? 1 : 0)
      for (const { client, message } of told) {
        const heard = await until(
          () =>
            waiters
              .find(({ id }) => id === client)
              ?.messages.find((each) => isLook(each) === isLook(message)),
          { what: 'it hears' },
        )
        expect({ ...heard, text: '' }).toEqual({ ...message, text: '' })
        if (isLook(message)) {
          expect(JSON.parse(heard.text).lookInMs).toBeCloseTo(JSON.parse(message.text).lookInMs, 2)
          continue
        }
        const [text = '', wantedText = ''] = [heard, message].map((each) =>
          each.text.slice(each.text.indexOf('{')),
        )
        const { atUs, ...said } = JSON.parse(text)
        const { atUs: wantedAt, fence, ...wantedToSay } = JSON.parse(wantedText)
        expect(heard.text).toBe(`${proofOf('sha256', `word of ${client}`, text)} ${text}`)
        expect(said).toEqual({ ...wantedToSay, ...(fence !== undefined && { fence: String(body.fence) }) })
        // Never later than the row's: the lease must not be believed to last longer.
        expect(atUs).toBeLessThanOrEqual(at * 1_000 + 1)
        expect(atUs).toBeGreaterThan(wantedAt - 10)
      }
      return true
    }

    const nextLooksLate: Partial<Scene> = { places: placesOfMode('x', 0, 1), processes: lookingLate }
    const ownLooksLate: Partial<Scene> = { places: placesOfMode('x', 0, 0), processes: lookingLate }
    test.each<[string, Partial<Scene>]>([
      ['with nobody behind', {}],
      ['that has tokens', { places: placesOfMode('f', 0) }],
      ['without a token so far', { places: placesOfMode('f', 0), fence: undefined }],
      ['with another process behind', { places: placesOfMode('x', 0, 1) }],
      ['with another place of its process behind', { places: placesOfMode('x', 0, 0, 1) }],
      ['in which its holder was let in by asking', { letIn: 'nobody', places: placesOfMode('f', 0, 2) }],
      ['with nobody in it', { places: [] }],
      ['whose next but one would look too late', nextLooksLate],
      ['of a process that would look too late with the place behind', ownLooksLate],
    ])('a line %s is passed on', async (_, scene) => {
      expect(await passed({ ...usual, ...scene })).toBe(true)
    })

    test('what is not its owner’s, or whose lease has ended, is left to the change', async () => {
      await setUp(usual)
      expect(await pass(`${holder.id}:2`)).toBe(false)
      expect(await pass(owner, randomUUID())).toBe(false)
      await holder.session.change(exclusiveLocks, name, ({ body, now }) => {
        body.endsAt = now
      })
      expect(await pass()).toBe(false)
    })

    test.each<[string, number, Partial<Scene>]>([
      ['the next', 0, {}],
      ['the next but one, which would look too late', 1, nextLooksLate],
    ])('a line in which no message reaches %s is left to the change', async (_, at, scene) => {
      const gone = server.client()
      await setUp({ ...usual, ...scene })
      await holder.session.change(exclusiveLocks, name, ({ body: { line } }) => {
        const place = line.places[at]
        if (place === undefined || !isPlace(place)) throw new Error('nobody waits')
        const process = line.processes[clientOf(place)]
        if (!process) throw new Error('it is no process’s')
        line.places.splice(at, 1, `x:${gone.id}:1`)
        delete line.processes[clientOf(place)]
        line.processes[gone.id] = process
      })
      expect(await pass()).toBe(false)
    })

    test.each([
      ['quotes, and what only looks like a pattern', '"\'\\%_ {}', true],
      ['a NUL character', 'a\0b', true],
      ['more bytes than an index has room for', 'é'.repeat(1_500), true],
      ['more than one message has room for: left to the change', 'é'.repeat(5_000), false],
    ])('a name with %s', async (_, given, done) => {
      name = given
      expect(await passed(usual)).toBe(done)
    })

    test('whatever stands in the row', async () => {
      const count = await doneIn((scene, of) => {
        name = of
        return passed(scene)
      })
      expect(count).toBeGreaterThan(5)
    })
  })

  describe('standing in line', () => {
    let client: Client
    let place: Place
    beforeEach(() => {
      ;[client] = waiters
      place = `x:${client.id}:12`
    })
    const stand = () =>
      client.session.express.stand?.({ name, place, firstLeaseMs: FIRST_LEASE_MS, word: WORD })

    /** Stands in line, and compares. Returns whether it does. */
    const stood = async (scene: Scene): Promise<boolean> => {
      await setUp(scene)
      const before = await read()
      const standing = await stand()
      const { body, now } = await read()
      if (!standing) {
        expect(body).toEqual(before.body)
        return false
      }
      expect(standing).toMatchObject({ holder: owner, endsAt: body.endsAt, since: body.since })
      expect(standing.now).toBeGreaterThanOrEqual(before.now)
      expect(standing.now).toBeLessThanOrEqual(now)
      const wantedAt = (at: number): ExclusiveBody => {
        const wanted = structuredClone(before.body)
        changed(wanted, at).lock.line.stand(place, scene.leaseMs, FIRST_LEASE_MS, WORD)
        return wanted
      }
      const looksAt = ({ line }: ExclusiveBody): number => line.processes[client.id]?.looksAt ?? 0
      const wanted = wantedAt(before.now)
      expect(looksAt(body)).toBeGreaterThanOrEqual(Math.min(body.endsAt, looksAt(wanted)))
      expect(looksAt(body)).toBeLessThanOrEqual(looksAt(wantedAt(now)))
      const { processes } = wanted.line
      Object.assign(processes[client.id] ?? {}, { looksAt: looksAt(body) })
      expect(body).toEqual(wanted)
      const row = 'SELECT waiting, rest FROM holdfast_locks WHERE name = $1'
      const { rows } = await server.pool.query(row, [name])
      expect(rows[0].waiting.sort()).toEqual(Object.keys(processes).sort())
      const looks = Object.values(processes).map((each) => Number(each?.looksAt))
      expect(rows[0].rest.until).toBe(Math.max(body.endsAt, ...looks))
      return true
    }

    test('what nobody holds, what its owner holds, and a place that is there, are left to the change', async () => {
      expect(await stand()).toBeUndefined()
      expect(await stood(usual)).toBe(true)
      const { body } = await read()
      expect(await stand()).toBeUndefined()
      for (const leftTo of [`${client.id}:12`, undefined] as const) {
        await client.session.change(exclusiveLocks, name, (draft) => {
          draft.body.owner = leftTo
          draft.body.line.places = body.line.places.slice(0, -1)
        })
        expect(await stand()).toBeUndefined()
      }
      expect((await read()).body.line.places).toEqual(body.line.places.slice(0, -1))
    })

    test('whatever stands in the row', async () => {
      const count = await doneIn((scene, of) => {
        name = of
        return stood(scene)
      })
      expect(count).toBeGreaterThan(20)
    })
  })
})
