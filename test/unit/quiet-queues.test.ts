/** What a client keeps of locks at which no call stands (docs/decisions.md, "What a held lock takes"). */
import { afterEach, expect, test } from 'vitest'
import { Schedule } from '../../src/base/time/schedule.js'
import type { LocalQueue } from '../../src/core/queue/local-queue.js'
import { Queues } from '../../src/core/queue/queues.js'
import { Orphans } from '../../src/core/tenure/orphans.js'
import { Tenure } from '../../src/core/tenure/tenure.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { eventually } from '../setup/eventually.js'
import { ScriptedPort } from './scripted-port.js'
import { servicesOn } from './services.js'

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

test('of a lock that is long held only the tenure is kept, but for one that is being released', () => {
  const services = servicesOn(new ScriptedPort(), new Schedule(new VirtualClock(), () => undefined))
  const queues = new Queues({ ...services, orphans: new Orphans(services) })
  const held = (number: number, state: 'held' | 'releasing'): LocalQueue => {
    const queue = queues.at(`quiet:${number}`)
    const tenure = new Tenure(queue.name, services.newOwner())
    tenure.state = state
    queue.began(tenure)
    queues.keepQuiet(queue)
    return queue
  }
  const leaving = held(0, 'releasing')
  const first = held(1, 'held')
  const tenure = first.tenures.any
  for (let number = 2; number < LOCKS; number += 1) held(number, 'held')
  expect(queues.busy).toBe(LOCKS)
  expect([...queues].length).toBeLessThan(LOCKS / 2)
  expect(queues.get(leaving.name)).toBe(leaving)
  const again = queues.get(first.name)
  expect(again).not.toBe(first)
  expect(again?.tenures.any).toBe(tenure)
  expect(queues.get(first.name)).toBe(again)
})
