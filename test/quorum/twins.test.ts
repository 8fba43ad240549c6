import { expect, onTestFinished, test } from 'vitest'
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

function opened(stores: readonly Store[]): Holdfast {
  const holdfast = new Holdfast(quorum(stores))
  onTestFinished(() => holdfast.close())
  return holdfast
}

test('two ways to one store that has no identity are refused at first use', async () => {
  const one = new MemoryStore()
  const lock = opened([again(one), new MemoryStore(), again(one)]).lock('a')
  await expect(lock.acquire()).rejects.toMatchObject(TWICE)
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
  const lock = opened([one, other, moving]).lock('a')
  await lock.withLock(() => undefined)
  for (let minute = 0; minute < 5; minute += 1) {
    await clock.advance(60_000)
    await lock.withLock(() => undefined)
  }
  breaks = 1
  await lock.withLock(() => undefined).catch(() => undefined)
  await expect(lock.acquire()).rejects.toMatchObject(TWICE)
})

test('three that do not say who they are vote, and their marks show in no list', async () => {
  const holdfast = opened([new MemoryStore(), new MemoryStore(), new MemoryStore()])
  const hold = await holdfast.lock('a').acquire()
  const names: string[] = []
  for await (const { name } of holdfast.list()) names.push(name)
  expect(names).toEqual(['a'])
  await hold.release()
})
