/** What calls make of a store that fails: rule H4, where the store is met by several calls or parts of one. */
import { expect, test } from 'vitest'
import { Disturbance, disturbedStore } from '../../src/conformance/disturbed-store.js'
import { Holdfast, quorum } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { FallingSilent } from './falling-silent.js'
import { closeAll, endOf } from './in-virtual-time.js'
import { within } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { storeOn } from './scripted-port.js'

const COMMAND_TIMEOUT_MS = 3_000
const STORE_TIMEOUT_MS = 10_000

test.each([
  ['1 of 3', 1, 3],
  ['50 of 100', 50, 100],
])(
  'H4: any stripe, while this client holds %s: the call ends with the outage, whatever waits for its own sections',
  async (_, own, all) => {
    const clock = new VirtualClock()
    const disturbance = new Disturbance()
    const stripes = new Holdfast(disturbedStore(new MemoryStore(clock), disturbance)).stripedLock('s', all)
    for (let taken = 0; taken < own; taken += 1) await stripes.acquireAny({ leaseMs: 3_600_000 })
    disturbance.cut = true
    const waiting = endOf(clock, stripes.acquireAny())
    expect(clock.now()).toBe(0)
    await clock.advance(STORE_TIMEOUT_MS - 1)
    expect(waiting).toEqual({})
    await clock.advance(COMMAND_TIMEOUT_MS)
    expect(waiting).toMatchObject({ error: { code: 'STORE_ERROR' } })
  },
)

test.each([
  ['end with the outage, not one after the other', Number.POSITIVE_INFINITY, STORE_TIMEOUT_MS],
  ['that do not wait take one command, all of them', 0, 100],
])('H4: nested calls side by side on a store that has fallen silent %s', async (_, waitMs, patienceMs) => {
  const clock = new VirtualClock()
  const port = new FallingSilent(clock, COMMAND_TIMEOUT_MS)
  const scripted = new ScriptedLocker(port, { clock })
  const scope = scripted.scope()
  await scripted.held({ leaseMs: 3_600_000 }, scope)
  port.fallSilent('acquire')
  const calls = Array.from({ length: 6 }, () =>
    endOf(clock, scripted.acquire({ waitMs, leaseMs: 3_600_000 }, within(scope))),
  )
  await clock.advance(patienceMs + COMMAND_TIMEOUT_MS)
  const refused = { error: { code: 'STORE_ERROR', reason: 'timeout' } }
  for (const end of calls) expect(end).toMatchObject(waitMs === 0 ? { at: COMMAND_TIMEOUT_MS } : refused)
})

/** Of other calls: test/liveness/settling.test.ts. */
test('H4: a question about a lock that is being released settles within one command, in a quorum whose servers all fall silent', async () => {
  const clock = new VirtualClock()
  const servers = [1, 2, 3].map(() => new FallingSilent(clock, COMMAND_TIMEOUT_MS))
  const holdfast = new Holdfast(quorum(servers.map((server) => storeOn(clock, server))))
  holdfast.on('error', () => undefined)
  const lock = holdfast.lock('lock')
  const acquire = lock.acquire()
  await clock.advance(100)
  const hold = await acquire
  for (const server of servers) server.fallSilent('release', 'abandon', 'inspect')
  endOf(clock, hold.release())
  const question = endOf(clock, lock.isLocked())
  await clock.advance(60_000)
  expect(question).toMatchObject({ at: 3_100, error: { code: 'STORE_ERROR', transient: true } })
  for (const server of servers) server.recover()
  await closeAll(clock, holdfast)
})
