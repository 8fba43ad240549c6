import { expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { retry } from '../../src/core/acquire/retry.js'
import { VirtualClock } from '../../src/stores/memory/index.js'

// Such that a try fails shortly before the store's time is over.
const COMMAND_MS = 1_300
const STORE_TIMEOUT_MS = 4_000

const later = (clock: VirtualClock, delayMs: number) =>
  new Promise<void>((resolve) => {
    clock.startTimer(resolve, delayMs)
  })

/** Each command ends by its own timeout. */
async function silence(clock: VirtualClock): Promise<never> {
  await later(clock, COMMAND_MS)
  throw new StoreError('timeout', 'release', { transient: true })
}

const termsOf = (clock: VirtualClock) => ({
  clock,
  pause: (until: number) => later(clock, until - clock.now()),
  patienceMs: STORE_TIMEOUT_MS,
})

/** When it was given up. */
async function endOf(clock: VirtualClock, work: Promise<unknown>): Promise<number> {
  let endedAt = Number.NaN
  void work.catch(() => {
    endedAt = clock.now()
  })
  await clock.advance(20_000)
  return endedAt
}

test('H4: a silent store is given up within storeTimeoutMs and one command, from when the first was sent', async () => {
  const clock = new VirtualClock()
  const endedAt = await endOf(
    clock,
    retry(() => silence(clock), termsOf(clock)),
  )
  expect(endedAt).toBeGreaterThanOrEqual(STORE_TIMEOUT_MS)
  expect(endedAt).toBeLessThanOrEqual(STORE_TIMEOUT_MS + COMMAND_MS)
})

test('H4: … where the first try was made before, too', async () => {
  const clock = new VirtualClock()
  const failed = { sentAt: clock.now(), error: await silenceNow(clock) }
  const endedAt = await endOf(
    clock,
    retry(() => silence(clock), termsOf(clock), failed),
  )
  expect(endedAt).toBeLessThanOrEqual(STORE_TIMEOUT_MS + COMMAND_MS)
})

test('H4: a store that refuses at once is tried until storeTimeoutMs, and not after', async () => {
  const clock = new VirtualClock()
  const triedAt: number[] = []
  const refuse = async (): Promise<never> => {
    triedAt.push(clock.now())
    throw new StoreError('unreachable', 'release', { transient: true })
  }
  const endedAt = await endOf(clock, retry(refuse, termsOf(clock)))
  expect(triedAt.at(-1)).toBe(STORE_TIMEOUT_MS)
  expect(endedAt).toBe(STORE_TIMEOUT_MS)
})

async function silenceNow(clock: VirtualClock): Promise<unknown> {
  const failure = silence(clock).catch((error: unknown) => error)
  await clock.advance(COMMAND_MS)
  return await failure
}
