/** What a client keeps of locks at which no call stands (docs/decisions.md, "What a held lock takes"). */
import { afterEach, expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { eventually } from '../setup/eventually.js'

/** More than it keeps whole. */
const LOCKS = 600

const clients: Holdfast[] = []
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())))

test('O2, W6: calls that come to a lock long held, of which only the hold was kept, nest, wait and get it as at any other', async () => {
  const store = new MemoryStore(new VirtualClock())
  const [holder, other] = [new Holdfast(store), new Holdfast(store)]
  clients.push(holder, other)
  const names = Array.from({ length: LOCKS }, (_, number) => `quiet:${number}`)
  const owner = holder.owner()
  const lasting = await Promise.all(names.map((name) => holder.lock(name).acquire({ owner })))
  const entered: string[] = []
  const waiting = names.flatMap((name) =>
    [holder, other].map((client, place) =>
      client.lock(name).withLock(() => {
        entered.push(name)
        return place
      }),
    ),
  )
  await eventually(() => holder.metrics().waiting + other.metrics().waiting === 2 * LOCKS)
  for (const hold of lasting) hold.assertHeld()
  for (const name of names) {
    const nested = await holder.lock(name).acquire({ owner, waitMs: 0 })
    expect((await holder.lock(name).inspect()).owners).toMatchObject([{ owner, holds: 2 }])
    await nested.release()
  }
  expect(entered).toEqual([])
  await Promise.all(lasting.map((hold) => hold.release()))
  await Promise.all(waiting)
  expect(entered.toSorted()).toEqual(names.flatMap((name) => [name, name]).toSorted())
  await eventually(() => holder.metrics().held + other.metrics().held === 0)
})
