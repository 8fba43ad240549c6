/** One statement that gives a lock to the next in line: it comes to what the change of the row would, or does nothing. */
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

/** A body in which those places stand in line, behind that owner. */
interface Scene {
  readonly places: readonly { readonly mode: 'x' | 'f'; readonly process: number }[]
  readonly processes: readonly {
    readonly looksInMs: number
    readonly leaseMs: number
    readonly away: boolean
  }[]
  readonly fence: bigint | undefined
  readonly letIn: 'nobody' | 'owner' | 'another'
  readonly beside: 'nothing' | 'lingers' | 'listeners' | 'value'
  readonly holds: number
}

const usual: Scene = {
  places: [{ mode: 'x', process: 0 }],
  processes: [
    { looksInMs: 100, leaseMs: 4_000, away: false },
    { looksInMs: 100, leaseMs: 3_000, away: false },
    { looksInMs: 100, leaseMs: 5_000, away: false },
  ],
  fence: 7n,
  letIn: 'owner',
  beside: 'nothing',
  holds: 1,
}

/** A message that has its process look. */
function isLook({ text }: Message): boolean {
  return text.startsWith('{"lookInMs"')
}

/** A line without the times at which its processes look. */
function unlooked({ line }: ExclusiveBody): unknown {
  const processes = Object.entries(line.processes).map(([client, process]) => [
    client,
    { ...process, looksAt: 0 },
  ])
  return { ...line, processes: Object.fromEntries(processes) }
}

const BEFORE_US = BigInt(Date.now() - 60_000) * 1_000n

describe.skipIf(missing)(`${title}: passing on`, () => {
  const stand = new Stand()
  let holder: Client
  let waiters: readonly Client[]
  let owner: Owner

  beforeEach(async () => {
    holder = stand.client()
    waiters = [0, 1, 2].map(() => stand.client())
    owner = `${holder.id}:1`
    for (const { session } of waiters) await session.inbox?.opened()
  })

  const placesOf = ({ places }: Scene): Place[] =>
    places.map(({ mode, process }, number): Place => `${mode}:${waiters[process]?.id ?? ''}:${number + 1}`)

  const play = (scene: Scene, body: ExclusiveBody, now: number): void => {
    body.owner = owner
    body.holds = scene.holds
    body.endsAt = now + 60_000
    body.fence = scene.fence
    for (const place of placesOf(scene)) {
      const client = clientOf(place)
      const { looksInMs, leaseMs, away } = scene.processes[waiters.findIndex(({ id }) => id === client)] ?? {
        looksInMs: 0,
        leaseMs: 1,
        away: false,
      }
      body.line.places.push(place)
      body.line.processes[client] = {
        places: (body.line.processes[client]?.places ?? 0) + 1,
        looksAt: now + looksInMs,
        leaseMs,
        word: `word of ${client}`,
        ...(away && { awaySince: now }),
      }
    }
    if (scene.letIn !== 'nobody' && scene.places.length > 0)
      body.line.letIn = scene.letIn === 'owner' ? [owner] : [owner, `${waiters[2]?.id}:99`]
    if (scene.beside === 'lingers') body.lingers = { told: false }
    if (scene.beside === 'listeners') body.listeners.push(waiters[2]?.id ?? '')
    if (scene.beside === 'value') body.value = { text: 'not for the server: \0', until: now + 60_000 }
  }

  const setUp = async (scene: Scene, name: string): Promise<void> => {
    await holder.session.change(exclusiveLocks, name, ({ body, now }) => play(scene, body, now))
  }

  /** What the row says, and when it said so, without changing it. */
  const read = (name: string) =>
    holder.session.change(exclusiveLocks, name, ({ body, now }) => ({ body: structuredClone(body), now }))

  /** What the change would have made of that row, and whom it would have told. */
  const expected = (body: ExclusiveBody, now: number, name: string) => {
    const told: Array<{ client: string; message: Message }> = []
    const lock = new ExclusiveLock(name, {
      body,
      now,
      firstFence: BigInt(Math.floor(now * 1_000)),
      reaches: (client) => waiters.some(({ id }) => id === client),
      ended: () => false,
      tell: (client, message) => told.push({ client, message }),
    })
    lock.free()
    lock.line.callHead()
    return { body, told }
  }

  /** Passes on, and compares. Returns whether it did. */
  const passed = async (scene: Scene, name: string): Promise<boolean> => {
    await setUp(scene, name)
    for (const { messages } of waiters) messages.length = 0
    const before = await read(name)
    const done = await holder.session.express.free(name, owner, true)
    const { body } = await read(name)
    if (!done) {
      expect(body).toEqual(before.body)
      return false
    }
    const leaseMs = scene.processes[scene.places[0]?.process ?? -1]?.leaseMs ?? 0
    // When it was done shows in the end of the lease.
    const at = body.owner === undefined ? before.now : body.endsAt - leaseMs
    expect(at).toBeGreaterThanOrEqual(before.now - 0.01)
    const wanted = expected(before.body, at, name)
    // The token tells since when it is held.
    const untimed = { endsAt: 0, fence: undefined, since: undefined }
    expect({ ...body, ...untimed, line: unlooked(body) }).toEqual({
      ...wanted.body,
      ...untimed,
      line: unlooked(wanted.body),
    })
    for (const [client, { looksAt }] of Object.entries(wanted.body.line.processes))
      expect(body.line.processes[client]?.looksAt).toBeCloseTo(looksAt, 2)
    const minted = wanted.body.fence !== scene.fence
    // A new token is no less than the server's clock, in microseconds.
    if (minted && (scene.fence ?? 0n) < BEFORE_US) expect(body.fence).toBeGreaterThan(BEFORE_US)
    else expect(body.fence).toBe(wanted.body.fence)
    if (body.owner !== undefined) expect(body.endsAt).toBeCloseTo(wanted.body.endsAt, 2)
    expect(wanted.told.filter(({ message }) => !isLook(message))).toHaveLength(
      scene.places.length > 0 ? 1 : 0,
    )
    for (const { client, message } of wanted.told) {
      const heard = await until(
        () =>
          waiters.find(({ id }) => id === client)?.messages.find((each) => isLook(each) === isLook(message)),
        { what: 'it hears' },
      )
      expect({ ...heard, text: '' }).toEqual({ ...message, text: '' })
      if (isLook(message)) {
        expect(JSON.parse(heard.text).lookInMs).toBeCloseTo(JSON.parse(message.text).lookInMs, 2)
        continue
      }
      const [told, wantedTold] = [heard, message].map(({ text }) => text.slice(text.indexOf('{')))
      const { atUs, ...said } = JSON.parse(told ?? '')
      const { atUs: wantedAt, fence, ...wantedToSay } = JSON.parse(wantedTold ?? '')
      expect(heard.text).toBe(`${proofOf('sha256', `word of ${client}`, told ?? '')} ${told}`)
      expect(said).toEqual({ ...wantedToSay, ...(fence !== undefined && { fence: String(body.fence) }) })
      // Never later than the row's: the lease must not be believed to last longer.
      expect(atUs).toBeLessThanOrEqual(at * 1_000 + 1)
      expect(atUs).toBeGreaterThan(wantedAt - 10)
    }
    return true
  }

  test.each<[string, Partial<Scene>]>([
    ['with nobody behind', {}],
    ['that has tokens', { places: [{ mode: 'f', process: 0 }] }],
    ['without a token so far', { places: [{ mode: 'f', process: 0 }], fence: undefined }],
    ['with another process behind', { places: [0, 1].map((process) => ({ mode: 'x', process })) }],
    [
      'with another place of its process behind',
      { places: [0, 0, 1].map((process) => ({ mode: 'x', process })) },
    ],
    [
      'in which its holder was let in by asking',
      { letIn: 'nobody', places: [0, 2].map((process) => ({ mode: 'f', process })) },
    ],
    ['with nobody in it', { places: [] }],
    [
      'whose next but one would look too late',
      {
        places: [0, 1].map((process) => ({ mode: 'x', process })),
        processes: usual.processes.map((process) => ({ ...process, looksInMs: 20_000 })),
      },
    ],
    [
      'of a process that would look too late with the place behind',
      {
        places: [0, 0].map((process) => ({ mode: 'x', process })),
        processes: usual.processes.map((process) => ({ ...process, looksInMs: 20_000 })),
      },
    ],
  ])('a line %s is passed on', async (_, scene) => {
    expect(await passed({ ...usual, ...scene }, randomUUID())).toBe(true)
  })

  test('what is not its owner’s, or whose lease has ended, is left to the change', async () => {
    const name = randomUUID()
    await setUp(usual, name)
    expect(await holder.session.express.free(name, `${holder.id}:2`, true)).toBe(false)
    await holder.session.change(exclusiveLocks, name, ({ body, now }) => {
      body.endsAt = now
    })
    expect(await holder.session.express.free(name, owner, true)).toBe(false)
    expect(await holder.session.express.free(randomUUID(), owner, true)).toBe(false)
  })

  test.each<[string, number, Scene]>([
    ['the next', 0, usual],
    [
      'the next but one, which would look too late',
      1,
      {
        ...usual,
        places: [0, 1].map((process) => ({ mode: 'x', process })),
        processes: usual.processes.map((process) => ({ ...process, looksInMs: 20_000 })),
      },
    ],
  ])('a line in which no message reaches %s is left to the change', async (_, at, scene) => {
    const name = randomUUID()
    const gone = stand.client()
    await setUp(scene, name)
    await holder.session.change(exclusiveLocks, name, ({ body: { line } }) => {
      const place = line.places[at]
      if (place === undefined || !isPlace(place)) throw new Error('nobody waits')
      const process = line.processes[clientOf(place)]
      if (!process) throw new Error('it is no process’s')
      line.places.splice(at, 1, `x:${gone.id}:1`)
      delete line.processes[clientOf(place)]
      line.processes[gone.id] = process
    })
    expect(await holder.session.express.free(name, owner, true)).toBe(false)
  })

  test.each([
    ['quotes, and what only looks like a pattern', '"\'\\%_ {}'],
    ['a NUL character', 'a\0b'],
    ['more bytes than an index has room for', 'é'.repeat(1_500)],
    ['more than one message has room for: left to the change', 'é'.repeat(5_000)],
  ])('a name with %s', async (what, name) => {
    expect(await passed(usual, name)).toBe(!what.includes('left to the change'))
  })

  test('whatever stands in the row', async () => {
    const process = fc.integer({ min: 0, max: 2 })
    const scenes = fc.record({
      places: fc.array(fc.record({ mode: fc.constantFrom('x' as const, 'f' as const), process }), {
        maxLength: 6,
      }),
      processes: fc.tuple(
        ...[0, 1, 2].map(() =>
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
        fc.constantFrom('lingers' as const, 'listeners' as const, 'value' as const),
      ),
      holds: fc.constantFrom(1, 1, 1, 2),
    })
    let count = 0
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        if (await passed(scene, `random ${randomUUID()}`)) count += 1
      }),
      { numRuns: 100, seed: 7 },
    )
    expect(count).toBeGreaterThan(5)
  })
})
