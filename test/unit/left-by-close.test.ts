/** What a client leaves in a store that does not answer while it closes, in virtual time. */
import { beforeEach, describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast, type HoldfastOptions, type Store, StoreError } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { FallingSilent } from './falling-silent.js'
import { closeAll } from './in-virtual-time.js'
import { MuteStore } from './mute-store.js'
import { storeOn } from './scripted-port.js'

let clock: VirtualClock
let mute: MuteStore
let port: FallingSilent

beforeEach(() => {
  clock = new VirtualClock()
  mute = new MuteStore(clock)
  port = new FallingSilent(clock, 3_000)
})

function fallSilent(): void {
  mute.mute = true
  port.fallSilent()
}

function clientOf(store: Store, options?: HoldfastOptions) {
  const holdfast = new Holdfast(store, options)
  return { holdfast, lock: holdfast.lock('a'), errors: journalOf(holdfast, 'error') }
}

const message = expect.stringContaining('may stay taken until its lease ends')
const LEFT = { code: 'STORE_ERROR', lockName: 'a', message }

describe.each([
  ['answers nothing', () => mute],
  ['fails each command in its time', () => storeOn(clock, port)],
])('faults D6: what close leaves is reported once, by a store that %s', (_, storeOf) => {
  test('a release without an answer', async () => {
    const { holdfast, lock, errors } = clientOf(storeOf())
    const hold = await lock.acquire()
    fallSilent()
    const releasing = rejectionOf(hold.release())
    await closeAll(clock, holdfast)
    expect(await releasing).toBeInstanceOf(Error)
    expect(errors).toMatchObject([LEFT])
  })

  test('the undoing of a call that timed out', async () => {
    const { holdfast, lock, errors } = clientOf(storeOf())
    await (await holdfast.lock('b').acquire()).release()
    fallSilent()
    const calling = rejectionOf(lock.acquire({ waitMs: 500 }))
    await clock.advance(600)
    expect(await calling).toMatchObject({ code: 'LOCK_TIMEOUT' })
    await closeAll(clock, holdfast)
    expect(errors).toMatchObject([LEFT])
  })
})

test.each(['tryAcquire', 'acquire'] as const)(
  'faults D6: so is what becomes of a kept lock that %s enters by a command',
  async (way) => {
    const { holdfast, lock, errors } = clientOf(mute, { lingerMs: 100 })
    for (let section = 0; section < 2; section += 1) await (await lock.acquire()).release()
    fallSilent()
    const calling = rejectionOf(lock[way]({ leaseMs: 10_000 }))
    await closeAll(clock, holdfast)
    expect(await calling).toMatchObject({ code: 'CLOSED' })
    expect(errors).toMatchObject([LEFT])
  },
)

test('faults D6: what the store answers while the client closes is not reported', async () => {
  const { holdfast, lock, errors } = clientOf(storeOn(clock, port))
  const hold = await lock.acquire()
  fallSilent()
  const releasing = rejectionOf(hold.release())
  const closing = holdfast.close({ timeoutMs: 60_000 })
  await clock.advance(1_000)
  port.recover()
  await clock.advance(60_000)
  await closing
  expect(await releasing).toBeInstanceOf(StoreError)
  expect(errors).toEqual([])
})
