/**
 * By when each call settles while the store does not answer (rule W6), for every kind: the table "Until a call settles" of
 * docs/guarantees.md. Every bound is a setting or the sum of two, far below the leases that would end a call by themselves.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import type { HoldfastOptions } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { bringServer, type Server } from '../servers/index.js'
import { type Call, callsOf, subjects, WAIT_MS } from './calls.js'

const COMMAND_MS = 300
const STORE_MS = 900
const settings: HoldfastOptions = {
  commandTimeoutMs: COMMAND_MS,
  storeTimeoutMs: STORE_MS,
  watchdogMs: 60_000,
}
/** How much later than its bound a call may settle on a busy machine; a call that waits for a lease takes a minute. */
const SLACK_MS = 2_500

const bounds: Readonly<Record<Call['bound'], number>> = {
  command: COMMAND_MS,
  wait: WAIT_MS,
  store: STORE_MS + COMMAND_MS,
}

type Fault = (scene: Scene, server: Server) => Promise<void>
const faults: ReadonlyArray<readonly [string, Fault]> = [
  ['hangs', (_scene, server) => server.pause()],
  ['is behind a black hole', async ({ proxy }) => proxy.blackHole()],
  [
    'refuses connections',
    async ({ proxy }) => {
      proxy.refuse()
      proxy.breakAll()
    },
  ],
]

describe.each(['ioredis-6', 'ioredis-5'] as const)(
  'W6: with a server that does not answer (%s)',
  (library) => {
    let server: Server
    let scene: Scene

    beforeAll(async () => {
      server = await bringServer({ flavour: inject('servers').flavour })
    })
    afterAll(() => server.stop())
    beforeEach(async () => {
      scene = await Scene.standalone(library, server)
    })
    afterEach(async () => {
      await server.resume()
      await scene.end()
    })

    test.each(faults)(
      'that %s each call of each kind settles in its time, and so does close()',
      async (_what, strike) => {
        const clients = subjects.map(([kind, make]) => ({ kind, make, holdfast: scene.holdfast(settings) }))
        const calls = await Promise.all(
          clients.map(async ({ kind, make, holdfast }) => {
            const made = await callsOf(holdfast, make, `${scene.name}:${kind}`)
            return made.map((call) => ({ ...call, what: `${kind}: ${call.what}` }))
          }),
        )
        await strike(scene, server)
        const late: string[] = []
        const timed = async (what: string, boundMs: number, start: () => Promise<unknown>): Promise<void> => {
          const startedAt = performance.now()
          const settled = start().then(
            () => undefined,
            () => undefined,
          )
          await Promise.race([settled, given(boundMs + SLACK_MS + 500)])
          const tookMs = performance.now() - startedAt
          if (tookMs > boundMs + SLACK_MS)
            late.push(`${what}: ${Math.round(tookMs)} ms instead of ${boundMs}`)
        }
        await Promise.all(calls.flat().map(({ what, bound, start }) => timed(what, bounds[bound], start)))
        expect(late).toEqual([])
        await Promise.all(
          clients.map(({ kind, holdfast }) =>
            timed(`${kind}: close()`, 2 * COMMAND_MS, () => holdfast.close()),
          ),
        )
        expect(late).toEqual([])
      },
    )
  },
)

/** So that a call which never settles is named, rather than the test be out of time. */
async function given(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
