/** Sections of one owner on both sides of a read-write lock: nested ones go in, siblings take turns (rules O2, O3). */
import { afterEach, describe, expect, test } from 'vitest'
import { readWriteCases } from '../../src/conformance/cases/read-write.cases.js'
import { untilIdle } from '../../src/conformance/idle.js'
import { Latch } from '../../src/conformance/latch.js'
import { inTime, rejectionOf } from '../../src/conformance/outcome.js'
import { type Holdfast, LockUpgradeError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

/** Who is inside, told outside the store. */
class Room {
  readonly #inside: string[] = []
  readonly seen: string[] = []

  readonly section = async (who: string, body: () => Promise<unknown> = tick): Promise<void> => {
    this.#inside.push(who)
    this.seen.push([...this.#inside].sort().join('+'))
    await body()
    this.#inside.splice(this.#inside.indexOf(who), 1)
  }
}

async function tick(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe.each((['memory', 'standalone', 'cluster'] as const).map((name) => placeOf(name)))(
  'H20: both sides of a read-write lock ($name)',
  (place) => {
    afterEach(() => place.tidy())

    // In memory the suite of all stores runs in full.
    if (place.server) readWriteCases(place)

    /** Sections on those sides, side by side, in that scope: whoever writes is alone. */
    async function takeTurns(
      order: ReadonlyArray<'read' | 'write'>,
      within: (sides: ReturnType<typeof open>, body: () => Promise<unknown>) => Promise<unknown>,
    ): Promise<void> {
      const made = open()
      const { holdfast, read, write, room } = made
      const siblings = (): Promise<unknown> =>
        Promise.all(order.map((side) => (side === 'read' ? read : write).withLock(() => room.section(side))))
      await settles(holdfast, within(made, siblings))
      expect(room.seen.filter((inside) => inside.includes('write') && inside !== 'write')).toEqual([])
      expect(room.seen).toHaveLength(order.length)
    }

    /** The sections end, and nothing is left of them. */
    async function settles(holdfast: Holdfast, sections: Promise<unknown>): Promise<void> {
      await inTime(place, sections)
      await untilIdle(place, holdfast)
    }

    function open() {
      const holdfast = place.holdfast()
      const both = holdfast.readWriteLock(place.lockName())
      return { holdfast, read: both.readLock(), write: both.writeLock(), room: new Room() }
    }

    type Sides = ReturnType<typeof open>
    const another = ({ holdfast }: Sides) => holdfast.lock(place.lockName())
    const scopes: Readonly<Record<string, (sides: Sides, body: () => Promise<unknown>) => Promise<unknown>>> =
      {
        run: ({ holdfast }, body) => holdfast.run(body),
        'a section of another lock': (sides, body) => another(sides).withLock(body),
        'an explicit owner’s hold': async (sides, body) => {
          const hold = await another(sides).acquire({ owner: sides.holdfast.owner() })
          await hold.run(body)
          await hold.release()
        },
        'a writing section': ({ write }, body) => write.withLock(body),
        'a section on both sides (chaos 9037)': ({ read, write }, body) =>
          write.withLock(() => read.withLock(body)),
      }
    const orders = [
      ['write', 'read'],
      ['read', 'write'],
      ['write', 'write'],
      ['read', 'read', 'read'],
      ['write', 'read', 'read', 'write', 'read'],
      ['read', 'read', 'write', 'write'],
    ] as const

    test.each(Object.entries(scopes))('in %s siblings take turns', async (_scope, within) => {
      for (const order of orders) await takeTurns(order, within)
    })

    test.each(['run', 'a writing section'])(
      'in %s: a section within the writing one is let in, past siblings that wait',
      async (scope) => {
        const sides = open()
        const { holdfast, read, write, room } = sides
        const work = scopes[scope]?.(sides, () =>
          Promise.all([
            write.withLock(async () => {
              await tick()
              await Promise.all([1, 2].map((nested) => read.withLock(() => room.section(`nested ${nested}`))))
              expect(await read.tryAcquire().then((hold) => hold?.release().then(() => true))).toBe(true)
              await write.withLock(() => room.section('again'))
            }),
            read.withLock(() => room.section('sibling')),
            write.withLock(() => room.section('writer')),
          ]),
        )
        await settles(holdfast, Promise.resolve(work))
        // Readers side by side may meet in the room, and enter in either order; nobody else may.
        const [within, after] = [room.seen.slice(0, -2), room.seen.slice(-2)]
        expect(within.at(-1)).toBe('again')
        expect(new Set(within.flatMap((inside) => inside.split('+')))).toEqual(
          new Set(['nested 1', 'nested 2', 'again']),
        )
        expect(within).toHaveLength(3)
        expect(after.toSorted()).toEqual(['sibling', 'writer'])
      },
    )

    test('holds of one scope nest, however they are asked for', async () => {
      const { holdfast, read, write } = open()
      const work = holdfast.run(async () => {
        for (const hold of await Promise.all([write.acquire(), read.acquire()])) await hold.release()
      })
      await settles(holdfast, work)
    })

    test('to write within a reading section is an error still, also where that took its turn as a sibling', async () => {
      const { holdfast, read, write } = open()
      const work = holdfast.run(() =>
        Promise.all([
          write.withLock(tick),
          read.withLock(async () => {
            await expect(write.acquire()).rejects.toBeInstanceOf(LockUpgradeError)
            await expect(write.tryAcquire()).rejects.toBeInstanceOf(LockUpgradeError)
          }),
        ]),
      )
      await settles(holdfast, work)
    })

    test('O3: a read that outlives its section is not let into the next write of the same run', async () => {
      const { holdfast, read, write, room } = open()
      let detached: Promise<void> | undefined
      const begin = new Latch()
      const work = holdfast.run(async () => {
        await write.withLock(async () => {
          detached = begin.opened.then(() => read.withLock(() => room.section('detached')))
        })
        await write.withLock(() =>
          room.section('write', async () => {
            begin.open()
            await tick()
          }),
        )
      })
      await settles(holdfast, work)
      await settles(holdfast, Promise.resolve(detached))
      expect(room.seen).toEqual(['write', 'detached'])
    })

    test('O3: a read that began in a section that is over keeps the next write of the same run out', async () => {
      const { holdfast, read, write, room } = open()
      let detached: Promise<void> | undefined
      const end = new Latch()
      const work = holdfast.run(async () => {
        await write.withLock(async () => {
          await new Promise<void>((entered) => {
            detached = read.withLock(() =>
              room.section('detached', () => {
                entered()
                return end.opened
              }),
            )
          })
        })
        const writing = write.withLock(() => room.section('write'))
        await tick()
        end.open()
        await writing
      })
      await settles(holdfast, work)
      await detached
      expect(room.seen).toEqual(['detached', 'write'])
    })

    test.each([true, false])(
      'H5: while draining a writing section may read, and what goes on reading is waited for (read before: %s)',
      async (before) => {
        const holdfast = place.holdfast()
        const both = holdfast.readWriteLock(place.lockName())
        if (before) await both.readLock().withLock(() => undefined)
        const far = place.holdfast().readWriteLock(both.writeLock().name)
        let closed = false
        let closing: Promise<void> | undefined
        const reading = await both.writeLock().withLock(async () => {
          closing = holdfast.close({ drainMs: 60_000 }).then(() => {
            closed = true
          })
          return await both.readLock().acquire()
        })
        expect(await far.writeLock().tryAcquire()).toBeNull()
        expect(await rejectionOf(both.writeLock().acquire())).toMatchObject({ code: 'CLOSED' })
        expect(closed).toBe(false)
        reading.assertHeld()
        await reading.release()
        await inTime(place, Promise.resolve(closing))
        expect(await far.writeLock().isLocked()).toBe(false)
      },
    )
  },
)
