import { beforeEach, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { retry } from '../../src/core/acquire/outage.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { endOf, inVirtualTime, passing } from './in-virtual-time.js'

// Such that a try fails shortly before the store's time is over.
const COMMAND_MS = 1_300
const STORE_TIMEOUT_MS = 4_000

let clock: VirtualClock
beforeEach(() => {
  clock = new VirtualClock()
})

/** When a command is given up that is tried so. */
async function givenUp(
  attempt: () => Promise<never>,
  failed?: Parameters<typeof retry>[2],
): Promise<number | undefined> {
  const pause = (until: number) => passing(clock, until - clock.now())
  const end = endOf(clock, retry(attempt, { clock, pause, patienceMs: STORE_TIMEOUT_MS }, failed))
  await clock.advance(20_000)
  expect(end).toHaveProperty('error')
  return end.at
}

/** Each command ends by its own timeout. */
async function silence(): Promise<never> {
  await passing(clock, COMMAND_MS)
  throw new StoreError('timeout', 'release', { transient: true })
}

test('H4: a silent store is given up within storeTimeoutMs and one command, from when the first was sent', async () => {
  const at = await givenUp(silence)
  expect(at).toBeGreaterThanOrEqual(STORE_TIMEOUT_MS)
  expect(at).toBeLessThanOrEqual(STORE_TIMEOUT_MS + COMMAND_MS)
})

test('H4: … where the first try was made before, too', async () => {
  const failed = { sentAt: clock.now(), error: await inVirtualTime(clock, rejectionOf(silence())) }
  expect(await givenUp(silence, failed)).toBeLessThanOrEqual(STORE_TIMEOUT_MS + COMMAND_MS)
})

test('H4: a store that refuses at once is tried until storeTimeoutMs, and not after', async () => {
  const triedAt: number[] = []
  const at = await givenUp(async () => {
    triedAt.push(clock.now())
    throw new StoreError('unreachable', 'release', { transient: true })
  })
  expect([triedAt.at(-1), at]).toEqual([STORE_TIMEOUT_MS, STORE_TIMEOUT_MS])
})
