import { expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import type { LockPort } from '../../src/port/lock-port.js'
import type { Store } from '../../src/port/store.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { quorum } from '../../src/stores/quorum/quorum.js'

const TWICE = { code: 'INVALID_ARGUMENT', message: expect.stringContaining('one server under two addresses') }

/** A second way to a store that does not say which server it is, as a second address is. */
function again(store: Store): Store {
  const { clock } = store
  return { open: (settings) => store.open(settings), ...(clock && { clock }) }
}

/** A port that passes all on to the one that is there at that moment. */
function through(now: () => LockPort | undefined): LockPort {
  const first = now()
  if (!first) throw new Error('no port')
  return new Proxy(first, {
    get: (_, key) => {
      const value: unknown = Reflect.get(now() ?? first, key)
      return typeof value === 'function' ? value.bind(now()) : value
    },
  })
}

test('two ways to one store that has no identity are refused at first use', async () => {
  const one = new MemoryStore()
  const holdfast = new Holdfast(quorum([again(one), new MemoryStore(), again(one)]))
  await expect(holdfast.lock('a').acquire()).rejects.toMatchObject(TWICE)
  await holdfast.close()
})

test('a member that comes to the server of another later is refused then, however much later', async () => {
  const clock = new VirtualClock()
  const [one, other, third] = [new MemoryStore(clock), new MemoryStore(clock), new MemoryStore(clock)]
  let breaks = 0
  const moving: Store = {
    clock,
    open: (settings) => {
      const sessions = [third.open(settings), one.open(settings)]
      return {
        lock: through(() => (breaks === 0 ? sessions[0] : sessions[1])?.lock),
        get breaks() {
          return breaks
        },
        close: async () => void (await Promise.all(sessions.map((session) => session.close()))),
      }
    },
  }
  const holdfast = new Holdfast(quorum([one, other, moving]))
  const lock = holdfast.lock('a')
  await (await lock.acquire()).release()
  for (let minute = 0; minute < 5; minute += 1) {
    await clock.advance(60_000)
    await (await lock.acquire()).release()
  }
  breaks = 1
  await lock.acquire().then(
    (hold) => hold.release(),
    () => undefined,
  )
  await expect(lock.acquire()).rejects.toMatchObject(TWICE)
  await holdfast.close()
})

test('three that do not say who they are vote, and their marks show in no list', async () => {
  const stores = [new MemoryStore(), new MemoryStore(), new MemoryStore()]
  const holdfast = new Holdfast(quorum(stores))
  const hold = await holdfast.lock('a').acquire()
  const names: string[] = []
  for await (const { name } of holdfast.list()) names.push(name)
  expect(names).toEqual(['a'])
  await hold.release()
  await holdfast.close()
})
