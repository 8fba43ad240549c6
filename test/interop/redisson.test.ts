/** Holdfast beside a real Redisson on the same servers: every kind that both sides can share, both ways. */
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { crashCases } from './crash.cases.js'
import { fencedLockCases } from './fenced-lock.cases.js'
import { whyNoPeer } from './java-build.js'
import { latchCases } from './latch.cases.js'
import { lockCases } from './lock.cases.js'
import { namesCases } from './names.cases.js'
import { Pairings } from './pairings.js'
import { permitIdsCases } from './permit-ids.cases.js'
import { permitsCases } from './permits.cases.js'
import type { PermitsKind } from './permits-kind.js'
import { LOAD_TIMEOUT_MS, LONG_LEASE_MS, Scene } from './scene.js'
import { semaphoreCases } from './semaphore.cases.js'
import { turnsCases } from './turns.cases.js'

const hindrance = await whyNoPeer('redisson')
if (hindrance) console.warn(`Interop with Redisson is not tested: ${hindrance}`)

const pairings = new Pairings()

const permitsKinds: readonly PermitsKind[] = [
  {
    kind: 'RSemaphore',
    orders: 'semaphore',
    lease: [],
    handle: (holdfast, name) => holdfast.semaphore(name),
  },
  {
    kind: 'RPermitExpirableSemaphore',
    orders: 'permits',
    lease: [LONG_LEASE_MS],
    handle: (holdfast, name) => holdfast.permitExpirableSemaphore(name),
  },
]

describe.skipIf(hindrance !== undefined)('beside Redisson', () => {
  let version = ''
  afterAll(() => console.log(pairings.tableWith(version)))

  for (const server of ['standalone', 'cluster'] as const) {
    // The servers know nothing of each other: while the two sides wait on one of them, others work on the other.
    describe.concurrent('on a server', () => {
      describe.sequential(server, () => {
        const scene = new Scene(server, pairings)
        beforeAll(async () => {
          await scene.begin()
          version = scene.java.version
        }, LOAD_TIMEOUT_MS)
        afterEach(() => scene.place.tidy())
        afterAll(() => scene.end())

        lockCases(scene, { kind: 'RLock', orders: 'lock', handle: (holdfast, name) => holdfast.lock(name) })
        lockCases(scene, {
          kind: 'RFencedLock',
          orders: 'fenced',
          handle: (holdfast, name) => holdfast.fencedLock(name),
        })
        fencedLockCases(scene)
        for (const kind of permitsKinds) {
          permitsCases(scene, kind)
        }
        semaphoreCases(scene)
        permitIdsCases(scene)
        latchCases(scene)
        namesCases(scene)
        crashCases(scene)
        turnsCases(scene)
      })
    })
  }
})
