/** Holdfast beside a real Redisson on the same servers: every kind that both sides can share, both ways. */
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { crashCases } from './crash.cases.js'
import { whyNoPeer } from './java-build.js'
import { latchCases } from './latch.cases.js'
import { lockCases } from './lock.cases.js'
import { namesCases } from './names.cases.js'
import { permitsCases } from './permits.cases.js'
import { LOAD_TIMEOUT_MS, Scene } from './scene.js'
import { turnsCases } from './turns.cases.js'

const hindrance = await whyNoPeer('redisson')
if (hindrance) console.warn(`Interop with Redisson is not tested: ${hindrance}`)

describe.skipIf(hindrance !== undefined)('beside Redisson', () => {
  for (const server of ['standalone', 'cluster'] as const) {
    // The servers know nothing of each other: while the two sides wait on one of them, others work on the other.
    describe.concurrent('on a server', () => {
      describe.sequential(server, () => {
        const scene = new Scene(server)
        beforeAll(() => scene.begin(), LOAD_TIMEOUT_MS)
        afterEach(() => scene.place.tidy())
        afterAll(() => scene.end())

        for (const cases of [lockCases, permitsCases, latchCases, namesCases, crashCases, turnsCases])
          cases(scene)
      })
    })
  }
})
