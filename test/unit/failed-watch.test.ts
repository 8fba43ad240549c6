/** A watch that failed, rule W1: the next one is begun after a pause, whichever call of the process begins it. */
import { expect, test } from 'vitest'
import { StoreError } from '../../src/index.js'
import type { AcquireReply } from '../../src/port/lock-port.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { endOf } from './falling-silent.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

const BUSY: AcquireReply = { outcome: 'busy', remainingMs: 60_000, holder: 'other:1' }

async function scene() {
  const clock = new VirtualClock()
  const port = new ScriptedPort()
  const scripted = new ScriptedLocker(port, clock)
  const first = new AbortController()
  const call = (signal?: AbortSignal) =>
    endOf(clock, scripted.locker.acquire(callFrom(root(scripted.owners.next()), { signal })))
  const ends = [call(first.signal), call()]
  await scripted.answer(() => BUSY)
  expect(port.watches.all).toHaveLength(1)
  return { clock, port, scripted, first, ends }
}

test('a call that takes the place of the one that met the failure waits out the same pause', async () => {
  const { clock, port, scripted, first } = await scene()
  port.watches.last.fail(new StoreError('unreachable', 'watch', { lockName: 'lock', transient: true }))
  await scripted.answer(() => BUSY)
  first.abort(new Error('enough'))
  await settle()
  expect(await scripted.answer(() => BUSY)).toHaveLength(1)
  expect(port.watches.all).toHaveLength(1)
  await clock.advance(1_000)
  await scripted.answer(() => BUSY)
  await settle()
  expect(port.watches.all).toHaveLength(2)
})

test('a refusal for good ends the call that meets it, and the next one tries anew', async () => {
  const { port, scripted, ends } = await scene()
  port.watches.last.fail(new StoreError('permission', 'watch', { lockName: 'lock', transient: false }))
  await scripted.answer(() => BUSY)
  await scripted.answer(() => BUSY)
  expect(ends[0]).toMatchObject({ error: { code: 'STORE_ERROR' } })
  expect(ends[1]).toEqual({})
  expect(port.watches.all).toHaveLength(2)
})
