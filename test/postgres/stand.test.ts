/** One statement that adds a place to a line: it comes to what the change of the row would, or does nothing. */
import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Place } from '../../src/stores/line/place.js'
import { type ExclusiveBody, ExclusiveLock, exclusiveLocks } from '../../src/stores/rows/exclusive-lock.js'
import { type Client, missing, Stand, title } from './server.js'

const LEASE_MS = 60_000
const FIRST_LEASE_MS = 5_000
const WORD = 'what only the row and the client know'
/** A text that the server cannot read. */
const UNREADABLE = 'a\0'

interface Scene {
  /** By which processes the places before it stand in line; 0 is its own. */
  readonly before: readonly number[]
  readonly letIn: boolean
  readonly away: boolean
  readonly fence: bigint | undefined
  readonly leaseMs: number
  readonly beside: 'nothing' | 'lingers' | 'listeners' | 'value' | 'ties'
}

const usual: Scene = {
  before: [1],
  letIn: true,
  away: false,
  fence: 7n,
  leaseMs: LEASE_MS,
  beside: 'nothing',
}

describe.skipIf(missing)(`${title}: standing in line`, () => {
  const server = new Stand()
  let client: Client
  const others = [randomUUID(), randomUUID()]
  const owner = `${randomUUID()}:1` as const
  let place: Place

  beforeEach(() => {
    client = server.client()
    place = `x:${client.id}:12`
  })

  const play = (scene: Scene, body: ExclusiveBody, now: number): void => {
    Object.assign(body, { owner, holds: 1, endsAt: now + scene.leaseMs, fence: scene.fence })
    for (const [index, process] of scene.before.entries()) {
      const id = [client.id, ...others][process] ?? ''
      body.line.places.push(`f:${id}:${index}`)
      body.line.processes[id] = {
        places: (body.line.processes[id]?.places ?? 0) + 1,
        looksAt: now + 100 * process,
        leaseMs: 3_000,
        word: 'earlier',
        ...(scene.away && { awaySince: now }),
      }
    }
    if (scene.letIn && scene.before.length > 0) body.line.letIn = [owner]
    if (scene.beside === 'lingers') body.lingers = { told: false }
    if (scene.beside === 'listeners') body.listeners.push(others[0] ?? '')
    if (scene.beside === 'value') body.value = { text: UNREADABLE, until: now + LEASE_MS }
    if (scene.beside === 'ties') body.ties['12'] = owner
  }

  const read = (name: string) =>
    client.session.change(exclusiveLocks, name, ({ body, now }) => ({ body: structuredClone(body), now }))

  const stand = (name: string) =>
    client.session.express.stand?.({ name, place, firstLeaseMs: FIRST_LEASE_MS, word: WORD })

  /** The times in it, which depend on when it was made. */
  const looksOf = ({ line }: ExclusiveBody): Array<number | undefined> =>
    Object.values(line.processes).map(({ looksAt }) => looksAt)

  /** Stands in line, and compares. Returns whether it does. */
  const stood = async (scene: Scene, name: string): Promise<boolean> => {
    await client.session.change(exclusiveLocks, name, ({ body, now }) => play(scene, body, now))
    const before = await read(name)
    const standing = await stand(name)
    const { body, now } = await read(name)
    if (!standing) {
      expect(body).toEqual(before.body)
      return false
    }
    const looksAt = body.line.processes[client.id]?.looksAt ?? 0
    const inMs = Math.min(scene.leaseMs, FIRST_LEASE_MS)
    expect(looksAt).toBeGreaterThanOrEqual(Math.min(body.endsAt, before.now + inMs))
    expect(looksAt).toBeLessThanOrEqual(Math.min(body.endsAt, now + inMs))
    expect(standing).toMatchObject({ holder: owner, endsAt: body.endsAt, since: body.since })
    expect(standing.now).toBeGreaterThanOrEqual(before.now)
    expect(standing.now).toBeLessThanOrEqual(now)
    const wanted = wantedOf(before, name, scene)
    for (const each of Object.values(wanted.line.processes))
      if (each === wanted.line.processes[client.id]) each.looksAt = looksAt
    expect(body).toEqual(wanted)
    const { rows } = await server.pool.query('SELECT waiting, rest FROM holdfast_locks WHERE name = $1', [
      name,
    ])
    expect(rows[0].waiting.sort()).toEqual(Object.keys(wanted.line.processes).sort())
    expect(rows[0].rest.until).toBe(Math.max(body.endsAt, ...looksOf(body).map(Number)))
    return true
  }

  const wantedOf = ({ body, now }: { body: ExclusiveBody; now: number }, name: string, scene: Scene) => {
    const lock = new ExclusiveLock(name, {
      body,
      now,
      firstFence: 1n,
      reaches: () => true,
      ended: () => false,
      tell: () => undefined,
    })
    lock.line.stand(place, scene.leaseMs, FIRST_LEASE_MS, WORD)
    return body
  }

  test('what nobody holds, what its owner holds, and a place that is there, are left to the change', async () => {
    const name = randomUUID()
    expect(await stand(name)).toBeUndefined()
    expect(await stood(usual, name)).toBe(true)
    const { body } = await read(name)
    expect(await stand(name)).toBeUndefined()
    await client.session.change(exclusiveLocks, name, (draft) => {
      draft.body.owner = `${client.id}:12`
      draft.body.line.places.pop()
    })
    expect(await stand(name)).toBeUndefined()
    await client.session.change(exclusiveLocks, name, (draft) => {
      draft.body.owner = undefined
    })
    expect(await stand(name)).toBeUndefined()
    expect((await read(name)).body.line.places).toEqual(body.line.places.slice(0, -1))
  })

  test('whatever stands in the row', async () => {
    const scenes = fc.record({
      before: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 6 }),
      letIn: fc.boolean(),
      away: fc.boolean(),
      fence: fc.constantFrom(undefined, 1n, 2n ** 60n),
      leaseMs: fc.constantFrom(LEASE_MS, 3_000, 0),
      beside: fc.oneof(
        { weight: 4, arbitrary: fc.constant('nothing' as const) },
        fc.constantFrom('lingers' as const, 'listeners' as const, 'value' as const, 'ties' as const),
      ),
    })
    let count = 0
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        if (await stood(scene, `random ${randomUUID()}`)) count += 1
      }),
      { numRuns: 100, seed: 7 },
    )
    expect(count).toBeGreaterThan(20)
  })
})
