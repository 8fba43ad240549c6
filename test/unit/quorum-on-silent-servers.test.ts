/** A quorum whose servers all fall silent: test/liveness/settling.test.ts. */
import { expect, test } from 'vitest'
import { Holdfast, quorum } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { FallingSilent } from './falling-silent.js'
import { closeAll, endOf } from './in-virtual-time.js'
import { storeOn } from './scripted-port.js'

test('H4: a question about a lock that is being released settles within one command, in a quorum whose servers all fall silent', async () => {
  const clock = new VirtualClock()
  const servers = [1, 2, 3].map(() => new FallingSilent(clock, 3_000))
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
