import { expect, test } from 'vitest'
import { VirtualClock } from '../../src/memory/index.js'
import type { AcquireReply } from '../../src/ports/lock-port.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

class SharedPort extends ScriptedPort {
  readonly shared = true
}

const busy = (): AcquireReply => ({
  outcome: 'busy',
  remainingMs: Number.POSITIVE_INFINITY,
  holder: undefined,
})

test.each([
  { what: 'a lock', port: () => new ScriptedPort(true) },
  { what: 'permits', port: () => new SharedPort(true) },
])('H14: where no lease ends ($what), who waits looks now and then, one for all', async ({ port }) => {
  const clock = new VirtualClock()
  const scripted = new ScriptedLocker(port(), clock)
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
  void locker.close()
  await settle()
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'CLOSED' })
})
