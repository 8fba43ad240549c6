/** What bounds a lock that lingers, to the millisecond. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { Holdfast, type HoldfastOptions, type Lock, type Store } from '../../src/index.js'
import type { LockPort } from '../../src/port/lock-port.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { duringEach } from '../setup/during.js'
import { endOf } from './in-virtual-time.js'
import { Processes } from './processes.js'
import { settle } from './scripted-port.js'

const LONG_MS = 600_000

const processes = duringEach(() => new Processes())
const client = (options: HoldfastOptions): Holdfast => processes.holdfast(options)
let other: Holdfast
let far: Lock
beforeEach(() => {
  other = processes.holdfast()
  far = other.lock('lock')
})

/** The lock, which a process keeps after a section. */
async function kept(options: HoldfastOptions): Promise<Lock> {
  const lock = client(options).lock('lock')
  await processes.sections(lock)
  return lock
}

/** A lock in memory, where `hold` delays what it wants to until `open`. */
function delayed(hold: (port: LockPort, way: Promise<void>) => void, lingerMs: number | 'auto' = 100) {
  const clock = new VirtualClock()
  const memory = new MemoryStore(clock)
  let open = (): void => undefined
  const way = new Promise<void>((resolve) => {
    open = resolve
  })
  const slow: Store = {
    clock,
    open(settings) {
      const session = memory.open(settings)
      hold(session.lock, way)
      return session
    },
  }
  const holdfast = new Holdfast(slow, { lingerMs })
  return { clock, holdfast, lock: holdfast.lock('lock'), open, elsewhere: new Holdfast(memory).lock('lock') }
}

describe('how long it stays', () => {
  test('lingerMs after the release', async () => {
    await kept({ lingerMs: 100 })
    expect(await processes.heldFor()).toBe(100)
  })

  test('with somebody inside when the time is up: until the release of that hold', async () => {
    const hold = await (await kept({ lingerMs: 100 })).acquire()
    await processes.clock.advance(250)
    expect(await processes.taken()).toBe(true)
    await hold.release()
    expect(await far.isLocked()).toBe(false)
  })

  test('the time of the last hold’s own call counts', async () => {
    const lock = client({ lingerMs: 100 }).lock('lock', { lingerMs: 200 })
    await processes.sections(lock)
    await processes.clock.advance(50)
    await (await lock.acquire({ lingerMs: 60 })).release()
    expect(await processes.heldFor()).toBe(10)
  })

  test('L1: under the watchdog it is renewed, as long as somebody is inside', async () => {
    await processes.sections(await kept({ lingerMs: LONG_MS, watchdogMs: 1_000 }), 1, { sectionMs: 5_000 })
    // What the store was told lasts no longer.
    expect(await far.isLocked()).toBe(false)
  })

  test('while others ask for it, calls follow each other for a slice of hand-overs; nobody else waits longer', () =>
    processes.takeTurns({ lingerMs: LONG_MS, handOverSliceMs: 25 }, 1_000))
})

describe('a single attempt elsewhere', () => {
  test('is refused after 25 ms where somebody is inside, and at once where nothing lingers', async () => {
    const hold = await (await kept({ lingerMs: LONG_MS })).acquire()
    const trying = endOf(processes.clock, far.tryAcquire())
    await processes.clock.advance(100)
    expect(trying).toEqual({ at: 25, value: null })
    await hold.release()
    await processes.clock.advance(1)
    const firm = await far.acquire()
    expect(await client({}).lock('lock').tryAcquire()).toBeNull()
    await firm.release()
  })
})

describe('a look from elsewhere', () => {
  /** What it finds, and when. */
  async function looks(): Promise<readonly [locked: boolean, afterMs: number]> {
    const from = processes.clock.now()
    const looking = far.isLocked().then((locked) => [locked, processes.clock.now() - from] as const)
    await processes.clock.advance(100)
    return await looking
  }

  test('W9: has a process let go that keeps it, and waits for nothing else', async () => {
    await kept({ lingerMs: LONG_MS })
    expect(await looks()).toEqual([false, 1])
    expect(await looks()).toEqual([false, 0])
    const plain = await client({}).lock('lock').acquire()
    expect(await looks()).toEqual([true, 0])
    await plain.release()
  })

  test('W9: says after 25 ms that somebody is inside, and sooner that nobody is any more', async () => {
    const hold = await (await kept({ lingerMs: LONG_MS })).acquire()
    expect(await looks()).toEqual([true, 25])
    const leaving = looks()
    await hold.release()
    expect(await leaving).toEqual([false, 1])
  })

  test('W9: of the process that kept it finds nobody inside, also while the release is on its way', async () => {
    const { clock, lock, open, elsewhere } = delayed((port, way) => {
      const release = port.release.bind(port)
      vi.spyOn(port, 'release').mockImplementation((request) => way.then(() => release(request)))
    })
    await (await lock.acquire()).release()
    await clock.advance(101)
    const looking = lock.isLocked()
    await clock.advance(100)
    expect(await looking).toBe(false)
    open()
    await settle()
    expect(await elsewhere.isLocked()).toBe(false)
  })

  test('W9: of the process that kept it finds nobody inside, also where the release is answered before the look', async () => {
    const { clock, lock, open, elsewhere } = delayed((port, way) => {
      const inspect = port.inspect.bind(port)
      vi.spyOn(port, 'inspect').mockImplementation(async (...asked) => {
        const seen = await inspect(...asked)
        await way
        return seen
      })
    })
    await (await lock.acquire()).release()
    const looking = lock.inspect()
    await clock.advance(101)
    expect(await elsewhere.isLocked()).toBe(false)
    open()
    expect(await looking).toEqual({ name: 'lock', owners: [], remainingMs: 0 })
  })

  test('W9: of a client that is closed meanwhile ends with it', async () => {
    const hold = await (await kept({ lingerMs: LONG_MS })).acquire()
    const looking = expect(far.isLocked()).rejects.toMatchObject({ code: 'CLOSED' })
    await processes.clock.advance(2)
    await other.close()
    await looking
    await hold.release()
  })

  test('W9: a list asks for all that it finds at once', async () => {
    const holdfast = client({ lingerMs: LONG_MS })
    for (const name of ['a', 'b', 'c']) await processes.sections(holdfast.lock(name))
    const hold = await holdfast.lock('b').acquire()
    const from = processes.clock.now()
    const found = (async () => {
      const names: string[] = []
      for await (const { name } of other.list()) names.push(name)
      return [names, processes.clock.now() - from]
    })()
    await processes.clock.advance(100)
    expect(await found).toEqual([['b'], 25])
    await hold.release()
  })
})

describe('a loss while it lingers', () => {
  test('is told of the section that ended last, as over, and counted; nobody holds, so no signal aborts', async () => {
    const holdfast = client({ lingerMs: LONG_MS, watchdogMs: 900 })
    const lock = holdfast.lock('lock')
    const lost = journalOf(holdfast, 'lost')
    const hold = await lock.acquire()
    const { signal } = hold
    await hold.release()
    // Not through this client’s channel: as a server that has lost its data.
    await far.forceUnlock()
    await processes.clock.advance(1)
    expect(lost).toMatchObject([{ owner: hold.owner, reason: 'not-in-store', over: true }])
    expect(signal.aborted).toBe(false)
    expect(holdfast.metrics().lost['not-in-store']).toBe(1)
    expect(holdfast.census.tenures).toBe(0)
  })

  test('of a lease that ran out nobody is told', async () => {
    const holdfast = client({ lingerMs: LONG_MS, watchdogMs: 900 })
    const lost = journalOf(holdfast, 'lost')
    await processes.sections(holdfast.lock('lock'))
    // The process stands still.
    processes.clock.skip(5_000)
    const taken = await far.acquire()
    await processes.clock.advance(1)
    expect(await holdfast.lock('lock').tryAcquire()).toBeNull()
    expect(lost).toEqual([])
    await taken.release()
  })
})

test.each(['tryAcquire', 'acquire'] as const)(
  'W4: a client that is closed while %s enters a kept lock by a command has freed it then',
  async (way) => {
    const { holdfast, lock, open, elsewhere } = delayed((port, way) => {
      const handOver = port.handOver.bind(port)
      vi.spyOn(port, 'handOver').mockImplementation((request) => way.then(() => handOver(request)))
    })
    for (let section = 0; section < 2; section += 1) await (await lock.acquire()).release()
    const refused = expect(lock[way]({ leaseMs: 10_000 })).rejects.toMatchObject({ code: 'CLOSED' })
    await settle()
    const taken = holdfast.close().then(() => elsewhere.forceUnlock())
    await refused
    await settle()
    open()
    expect(await taken).toBe(false)
  },
)

test.each([
  [LONG_MS, 1],
  ['auto', 0],
] as const)(
  'with %s a process that may not listen lets nothing stay, and tells so %i times',
  async (...given) => {
    const [lingerMs, told] = given
    const { holdfast, lock, elsewhere } = delayed(({ line }) => {
      const confirmed = Promise.reject(new Error('not allowed'))
      if (line?.hearAsks)
        vi.spyOn(line, 'hearAsks').mockReturnValue({ confirmed, inForce: false, close: () => undefined })
    }, lingerMs)
    const errors = journalOf(holdfast, 'error')
    for (let section = 0; section < 20; section += 1) await (await lock.acquire()).release()
    expect(await elsewhere.isLocked()).toBe(false)
    expect(errors).toHaveLength(told)
  },
)

test('L4: a loss with somebody inside a lock that had lingered is told as of any other', async () => {
  const holdfast = client({ lingerMs: LONG_MS, watchdogMs: 900 })
  const [lost, errors] = [journalOf(holdfast, 'lost'), journalOf(holdfast, 'error')]
  const lock = holdfast.lock('lock')
  await processes.sections(lock)
  const hold = await lock.acquire()
  await far.forceUnlock()
  await processes.clock.advance(1_000)
  expect(hold.signal.aborted).toBe(true)
  expect(lost).toMatchObject([{ over: true }, { owner: hold.owner, over: false }])
  expect(errors).toEqual([])
  await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
  await processes.sections(lock)
})
