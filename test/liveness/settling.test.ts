/**
 * By when each call settles while the store does not answer (rule W6), for every kind: the table "Until a call settles" of
 * docs/guarantees.md. Every bound is a setting or the sum of two, far below the leases that would end a call by themselves.
 */
import { setTimeout as passed } from 'node:timers/promises'
import { afterEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { quorum } from '../../src/stores/quorum/quorum.js'
import { Scene } from '../fault/scene.js'
import { bringServer } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'
import { duringAll, duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { type Call, callsOf, type MakeSubject, subjects, WAIT_MS } from './calls.js'

const COMMAND_MS = 300
const STORE_MS = 900
const settings = { commandTimeoutMs: COMMAND_MS, storeTimeoutMs: STORE_MS, watchdogMs: 60_000 }
/** How much later than its bound a call may settle on a busy machine; a call that waits for a lease takes a minute. */
const SLACK_MS = 2_500

const bounds = { command: COMMAND_MS, wait: WAIT_MS, store: STORE_MS + COMMAND_MS }

type Kinds = ReadonlyArray<readonly [string, MakeSubject]>

/** Starts every call of every kind once the fault has struck, then closes; names whatever took too long. */
async function settleInTime(
  kinds: Kinds,
  lockName: string,
  client: () => Holdfast,
  strike: () => Promise<void> | void,
): Promise<void> {
  const clients = kinds.map(([kind, make]) => ({ kind, make, holdfast: client() }))
  const calls: Call[] = []
  for (const { kind, make, holdfast } of clients) {
    // A first connection may take longer than the short time that commands have here.
    const answer = (): Promise<unknown> => holdfast.lock(lockName).isLocked().catch(String)
    await eventually(answer, (locked) => locked === false)
    const made = await callsOf(holdfast, make, `${lockName}:${kind}`)
    calls.push(...made.map((call) => ({ ...call, what: `${kind}: ${call.what}` })))
  }
  await strike()
  const late: string[] = []
  const timed = async (what: string, boundMs: number, start: () => Promise<unknown>): Promise<void> => {
    const startedAt = performance.now()
    // So that a call which never settles is named, rather than the test be out of time.
    await Promise.race([start().catch(() => undefined), passed(boundMs + SLACK_MS + 500)])
    const tookMs = performance.now() - startedAt
    if (tookMs > boundMs + SLACK_MS) late.push(`${what}: ${Math.round(tookMs)} ms instead of ${boundMs}`)
  }
  await Promise.all(calls.map(({ what, bound, start }) => timed(what, bounds[bound], start)))
  expect(late).toEqual([])
  await Promise.all(
    clients.map(({ kind, holdfast }) => timed(`${kind}: close()`, 2 * COMMAND_MS, () => holdfast.close())),
  )
  expect(late).toEqual([])
}

/** The same for all kinds that one server keeps, or one cluster. */
async function settleAll(scene: Scene, strike: () => Promise<void> | void): Promise<void> {
  await settleInTime(subjects, scene.name, () => scene.holdfast(settings), strike)
}

const networkFaults: ReadonlyArray<readonly [string, (scene: Scene) => void]> = [
  [
    'is behind a black hole',
    ({ proxies }) => {
      for (const proxy of proxies) proxy.blackHole()
    },
  ],
  [
    'refuses connections',
    ({ proxies }) => {
      for (const proxy of proxies) {
        proxy.refuse()
        proxy.breakAll()
      }
    },
  ],
]

describe.each(['ioredis-6', 'ioredis-5'] as const)(
  'W6: each call of each kind, and close(), with %s',
  (library) => {
    const server = duringAll(() => bringServer({ flavour: inject('servers').flavour }))
    const another = duringAll(() => bringServer({ flavour: inject('servers').flavour }))

    describe('and one server', () => {
      const scene = duringEach(() => Scene.standalone(library, server))
      afterEach(() => server.resume())

      test('that hangs', () => settleAll(scene, () => server.pause()))

      test.each(networkFaults)('that %s', (_what, strike) => settleAll(scene, () => strike(scene)))
    })

    test.each(networkFaults)('and a cluster that %s', async (_what, strike) => {
      const scene = await Scene.cluster(library)
      onTestFinished(() => scene.end())
      await settleAll(scene, () => strike(scene))
    })

    // A majority that does not answer: one that does cannot grant alone.
    test.each(networkFaults)('and a quorum whose majority %s', async (_what, strike) => {
      const scenes = await Promise.all([server, another].map((each) => Scene.standalone(library, each)))
      const [first] = scenes
      if (!first) throw new Error('two were made')
      const { host, port } = inject('servers').standalone
      const ports = [port, ...scenes.map(({ proxy }) => proxy.port)]
      const clients = ports.map((each) => standaloneClient({ host, port: each }, library))
      try {
        const plain = subjects.filter(([kind]) => kind === 'lock' || kind === 'multiLock')
        const client = (): Holdfast => new Holdfast(quorum(clients), settings)
        await settleInTime(plain, first.name, client, () => scenes.forEach(strike))
      } finally {
        for (const each of clients) each.disconnect()
        for (const scene of scenes) await scene.end()
      }
    })
  },
)
