/** Locks of several keys in a cluster while their slot moves to another node: nothing is done by halves, and all goes on when it has moved. */
import { describe, expect, test } from 'vitest'
import type { Hold, Holdfast, Lock } from '../../src/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { eventually } from '../setup/eventually.js'
import { MovableCluster } from './slot-move.js'

const place = MovableCluster.use()
const holdfast = (): Holdfast => place.holdfast()

/** Whether there is a line in the slot of that key. */
async function inLine(key: string): Promise<boolean> {
  const keys = await Promise.all(
    place.nodes.map((node) => node.call('CLUSTER', 'GETKEYSINSLOT', slotOf(key), 100)),
  )
  return keys.flat().some((each) => String(each).includes('_line'))
}

const kinds: ReadonlyArray<{
  kind: string
  key: (name: string) => string
  of: (holdfast: Holdfast, name: string) => Lock
}> = [
  { kind: 'fair', key: (name) => name, of: (made, name) => made.fairLock(name) },
  {
    kind: 'write',
    key: (name) => `holdfast_rw:{${name}}`,
    of: (made, name) => made.readWriteLock(name).writeLock(),
  },
  {
    kind: 'read',
    key: (name) => `holdfast_rw:{${name}}`,
    of: (made, name) => made.readWriteLock(name).readLock(),
  },
]

describe.each(kinds)('H27: $kind', ({ kind, key, of }) => {
  test.each(['nothing has moved yet', 'the lock itself has moved, what is beside it has not'])(
    'a release with a waiter in line, while %s: done when the slot has moved, and not by halves',
    async (state) => {
      const name = `migrating-${kind}-${state.length}`
      const [near, far] = [holdfast(), holdfast()]
      const hold = await of(near, name).acquire()
      const waiting = kind === 'read' ? far.readWriteLock(name).writeLock() : of(far, name)
      let next: Hold | undefined
      const wait = waiting.acquire().then((granted) => {
        next = granted
      })
      // The line is there, and the waiter hears of what happens.
      await eventually(() => waiting.countWaitingClients())
      await eventually(() => inLine(key(name)))
      const move = await place.move(key(name))
      if (state.startsWith('the lock')) await move.take([key(name)])
      const before = await move.raw(key(name)).catch(() => undefined)
      let released = false
      const releasing = hold.release().then(() => {
        released = true
      })
      releasing.catch(() => undefined)
      // Long enough for an attempt, and for what the client library does about a slot on its way.
      await Promise.race([releasing, new Promise((resolve) => setTimeout(resolve, 1_000))])
      expect(released).toBe(false)
      expect(await move.raw(key(name)).catch(() => undefined)).toEqual(before)
      expect(next).toBeUndefined()
      await move.finish()
      await releasing
      await eventually(() => next !== undefined)
      await wait
      await next?.release()
    },
  )
})
