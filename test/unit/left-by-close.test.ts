/** What a client leaves in a store that does not answer while it closes, in virtual time. */
import { expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { Holdfast, StoreError } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { FallingSilent } from './falling-silent.js'
import { MuteStore } from './mute-store.js'

const COMMAND_MS = 3_000

function told(holdfast: Holdfast): unknown[] {
  const errors = journalOf(holdfast, 'error')
  return errors
}

const LEFT = (lockName: string): object => ({
  code: 'STORE_ERROR',
  lockName,
  message: expect.stringContaining('may stay taken until its lease ends'),
})

async function closed(clock: VirtualClock, holdfast: Holdfast): Promise<void> {
  const closing = holdfast.close()
  await clock.advance(60_000)
  await closing
}

test.each([
  ['answers nothing', (): void => undefined],
  ['fails each command in its time', undefined],
])(
  'faults D6: a release that close leaves unanswered is reported once, by a store that %s',
  async (_, mutes) => {
    const clock = new VirtualClock()
    const mute = new MuteStore(clock)
    const port = new FallingSilent(clock, COMMAND_MS)
    const store = mutes ? mute : { clock, open: () => ({ lock: port, close: async () => undefined }) }
    const holdfast = new Holdfast(store)
    const errors = told(holdfast)
    const hold = await holdfast.lock('a').acquire()
    mute.mute = true
    port.fallSilent()
    const releasing = hold.release().catch((error: unknown) => error)
    await closed(clock, holdfast)
    expect(await releasing).toBeInstanceOf(Error)
    expect(errors).toMatchObject([LEFT('a')])
  },
)

test.each([
  ['answers nothing', true],
  ['fails each command in its time', false],
])('faults D6: so is the undoing of a call that timed out: a store that %s', async (_, mutes) => {
  const clock = new VirtualClock()
  const mute = new MuteStore(clock)
  const port = new FallingSilent(clock, COMMAND_MS)
  const store = mutes ? mute : { clock, open: () => ({ lock: port, close: async () => undefined }) }
  const holdfast = new Holdfast(store)
  const errors = told(holdfast)
  await (await holdfast.lock('b').acquire()).release()
  mute.mute = true
  port.fallSilent()
  const calling = holdfast
    .lock('a')
    .acquire({ waitMs: 500 })
    .catch((error: unknown) => error)
  await clock.advance(600)
  expect(await calling).toMatchObject({ code: 'LOCK_TIMEOUT' })
  await closed(clock, holdfast)
  expect(errors).toMatchObject([LEFT('a')])
})

test.each(['tryAcquire', 'acquire'] as const)(
  'faults D6: so is what becomes of a kept lock that %s enters by a command',
  async (way) => {
    const clock = new VirtualClock()
    const mute = new MuteStore(clock)
    const holdfast = new Holdfast(mute, { lingerMs: 100 })
    const errors = told(holdfast)
    const lock = holdfast.lock('a')
    for (let section = 0; section < 2; section += 1) await (await lock.acquire()).release()
    mute.mute = true
    const calling = lock[way]({ leaseMs: 10_000 }).catch((error: unknown) => error)
    await closed(clock, holdfast)
    expect(await calling).toMatchObject({ code: 'CLOSED' })
    expect(errors).toMatchObject([LEFT('a')])
  },
)

test('faults D6: what the store answers while the client closes is not reported', async () => {
  const clock = new VirtualClock()
  const port = new FallingSilent(clock, COMMAND_MS)
  const holdfast = new Holdfast({ clock, open: () => ({ lock: port, close: async () => undefined }) })
  const errors = told(holdfast)
  const hold = await holdfast.lock('a').acquire()
  port.fallSilent()
  const releasing = hold.release().catch((error: unknown) => error)
  const closing = holdfast.close({ timeoutMs: 60_000 })
  await clock.advance(1_000)
  port.recover()
  await clock.advance(60_000)
  await closing
  expect(await releasing).toBeInstanceOf(StoreError)
  expect(errors).toEqual([])
})
