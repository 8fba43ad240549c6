/** A quorum whose servers all fall silent: each command of it ends by its own timeout, whatever it waits behind. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Hold, Holdfast, type Lock, quorum } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { FallingSilent } from './falling-silent.js'
import { closeAll, endOf } from './in-virtual-time.js'
import { storeOn } from './scripted-port.js'

const COMMAND_MS = 3_000
const STORE_TIMEOUT_MS = 10_000
const TOO_LATE = { error: { code: 'STORE_ERROR', transient: true } }

let clock: VirtualClock
let servers: readonly FallingSilent[]
let holdfast: Holdfast
let lock: Lock
let hold: Hold
let askedAt: number

beforeEach(async () => {
  clock = new VirtualClock()
  servers = [1, 2, 3].map(() => new FallingSilent(clock, COMMAND_MS))
  holdfast = new Holdfast(quorum(servers.map((server) => storeOn(clock, server))))
  holdfast.on('error', () => undefined)
  lock = holdfast.lock('lock')
  const acquire = lock.acquire()
  await clock.advance(100)
  hold = await acquire
  askedAt = clock.now()
})
afterEach(async () => {
  for (const server of servers) server.recover()
  await closeAll(clock, holdfast)
})

test('H4: a release settles within storeTimeoutMs and one command', async () => {
  for (const server of servers) server.fallSilent()
  const release = endOf(clock, hold.release())
  await clock.advance(60_000)
  expect(release).toMatchObject(TOO_LATE)
  expect(release.at).toBeGreaterThanOrEqual(askedAt + STORE_TIMEOUT_MS)
  expect(release.at).toBeLessThanOrEqual(askedAt + STORE_TIMEOUT_MS + COMMAND_MS)
})

test('H4: a question about a lock that is being released settles within one command', async () => {
  for (const server of servers) server.fallSilent('release', 'abandon', 'inspect')
  endOf(clock, hold.release())
  const question = endOf(clock, lock.isLocked())
  await clock.advance(60_000)
  expect(question).toMatchObject({ at: askedAt + COMMAND_MS, ...TOO_LATE })
})
