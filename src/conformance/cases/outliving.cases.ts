import { describe, expect, test } from 'vitest'
import { type Hold, NoOwnerError } from '../../index.js'
import { given } from '../given.js'
import { Latch } from '../latch.js'
import { rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { Room } from '../room.js'
import { scene } from '../scene.js'

/** Work that outlives its section: rule O3. */
export function outlivingCases(place: Place): void {
  const whereNamed = given(place, 'namesHolder')
  describe('work that outlives its section', () => {
    for (const [what, detach] of Object.entries(waysToDetach)) {
      whereNamed(`O3: ${what} is refused while another holds, and let in as a new owner later`, async () => {
        const { lock, far: other } = scene(place)
        const [whileOther, whileMine, whenFree] = [new Latch(), new Latch(), new Latch()]
        const left: Array<Promise<Hold | null>> = []
        const ended = await lock.withLock((hold) => {
          for (const go of [whileOther, whileMine, whenFree]) left.push(detach(go, () => lock.tryAcquire()))
          return hold.owner
        })
        const [duringOther, duringMine, late] = left
        for (const [holder, go, tried] of [
          [other, whileOther, duringOther],
          [lock, whileMine, duringMine],
        ] as const) {
          await using hold = await holder.acquire()
          go.open()
          expect(await tried).toBeNull()
          expect((await lock.inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
        }
        whenFree.open()
        await using hold = await late
        expect(hold?.owner).toMatch(/:\d+$/)
        expect(hold?.owner).not.toBe(ended)
      })
    }

    test('O3: two detached tasks of one section exclude each other', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const room = new Room()
      const go = new Latch()
      const detached: Array<Promise<void>> = []
      await lock.withLock(() => {
        for (let task = 0; task < 4; task += 1) {
          detached.push(go.opened.then(() => lock.withLock(() => room.visit())))
        }
      })
      go.open()
      await Promise.all(detached)
      expect(room).toMatchObject({ visits: 4, most: 1 })
    })

    test('O3: a task detached from an inner section belongs to the outer one while that lasts', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const go = new Latch()
      const detached: Array<Promise<Hold | null>> = []
      await lock.withLock(async (outer) => {
        await lock.withLock(() => {
          detached.push(go.opened.then(() => lock.tryAcquire()))
        })
        go.open()
        const [late] = await Promise.all(detached)
        expect(late?.owner).toBe(outer.owner)
        await late?.release()
      })
    })

    test('O3: an inner section that outlives its outer one keeps others out until it ends itself', async () => {
      const { lock, far: other } = scene(place)
      const [entered, leave] = [new Latch(), new Latch()]
      const inner: Array<Promise<number>> = []
      await lock.withLock(async () => {
        inner.push(
          lock.withLock(async () => {
            entered.open()
            await leave.opened
            return await lock.withLock(() => lock.holdCount())
          }),
        )
        await entered.opened
      })
      expect(await other.tryAcquire()).toBeNull()
      expect(await lock.tryAcquire()).toBeNull()
      leave.open()
      expect(await Promise.all(inner)).toEqual([2])
      expect(await other.isLocked()).toBe(false)
    })

    test('O3: what still runs in hold.run after the release contends anew', async () => {
      const { lock } = scene(place)
      const hold = await lock.acquire()
      const [go, stay] = [new Latch(), new Latch()]
      const late = hold.run(async () => {
        await go.opened
        const tried = await lock.tryAcquire()
        await stay.opened
        return tried
      })
      await hold.release()
      await using next = await lock.acquire()
      go.open()
      expect(next.owner).not.toBe(hold.owner)
      stay.open()
      expect(await late).toBeNull()
    })

    test('O3: after its run has ended a task has no owner to lock for', async () => {
      const { holdfast, lock } = scene(place)
      const go = new Latch()
      const detached: Array<Promise<unknown>> = []
      await holdfast.run(() => {
        detached.push(rejectionOf(go.opened.then(() => lock.lock())))
      })
      go.open()
      const [refusal] = await Promise.all(detached)
      expect(refusal).toBeInstanceOf(NoOwnerError)
      expect(refusal).toMatchObject({ code: 'NO_OWNER', lockName: lock.name })
    })
  })
}

type Detach = (go: Latch, task: () => Promise<Hold | null>) => Promise<Hold | null>

const waysToDetach: Readonly<Record<string, Detach>> = {
  'a detached promise': (go, task) => go.opened.then(task),
  'a timer': (go, task) =>
    new Promise((resolve) => {
      const tick = setInterval(() => {
        if (!go.isOpen) return
        clearInterval(tick)
        resolve(task())
      }, 1)
    }),
}
