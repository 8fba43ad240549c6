import { expect, test } from 'vitest'
import { lock, semaphore } from '../../src/kinds/kinds.js'
import type { AcquireReply } from '../../src/port/lock-port.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

const busy = (): AcquireReply => ({
  outcome: 'busy',
  remainingMs: Number.POSITIVE_INFINITY,
  holder: undefined,
})

test.each([
  { what: 'a lock', kind: lock },
  { what: 'permits', kind: semaphore },
])('H14: where no lease ends ($what), who waits looks now and then, one for all', async ({ kind }) => {
  const clock = new VirtualClock()
  const scripted = new ScriptedLocker(new ScriptedPort(true), clock, {}, kind)
  const { locker } = scripted
  const waits = [1, 2, 3].map((index) => locker.acquire(callFrom(root(`client:${index}`))))
  await scripted.answer(busy)
  await scripted.answer(busy)
  for (let look = 0; look < 3; look += 1) {
    await clock.advance(29_000)
    expect(await scripted.answer(busy)).toHaveLength(0)
    await clock.advance(2_000)
    expect(await scripted.answer(busy)).toHaveLength(1)
  }
  void locker.lifetime.close()
  await settle()
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'CLOSED' })
})
