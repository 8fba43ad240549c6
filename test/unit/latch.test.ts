import { expect, test } from 'vitest'
import { countDownLatch } from '../../src/kinds/kinds.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

test('W3: one asks for all that wait for a latch; when it has opened they ask together, not one after the other', async () => {
  const port = new ScriptedPort()
  const latch = new ScriptedLocker(port, new VirtualClock(), {}, countDownLatch)
  const calls = [1, 2, 3, 4].map(() => latch.locker.acquire(callFrom(root(latch.owners.next()))))
  const busy = { outcome: 'busy', remainingMs: Number.POSITIVE_INFINITY, holder: undefined } as const
  expect(await latch.answer(() => busy)).toHaveLength(1)
  port.watches.last.answer()
  expect(await latch.answer(() => busy)).toHaveLength(1)
  port.watches.last.request.onNews()
  const open = { outcome: 'granted', room: Number.POSITIVE_INFINITY } as const
  expect(await latch.answer(() => open)).toHaveLength(1)
  await settle()
  expect(await latch.answer(() => open)).toHaveLength(3)
  await Promise.all(calls)
})
