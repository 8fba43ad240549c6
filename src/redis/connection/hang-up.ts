import type { Schedule } from '../../time/schedule.js'
import type { Connectable } from './client.js'
import { streamOf } from './stream.js'

/** How long a client has to notice that it was disconnected. It waits for the peer's goodbye no longer than half of that. */
const NOTICE_MS = 200

/** All that hang up on one client at a time do it once: each would listen to it, and disconnect it again. */
const underWay = new WeakMap<Connectable, Promise<boolean>>()

/**
 * Breaks a connection for good measure: a peer that has gone silent is not waited for to say goodbye. Resolves when the client
 * knows that it is unconnected, so that what is sent next goes over a new connection and not into this one: to `false` if it
 * does not find out, because it waits for somebody else (a sentinel, a name server) who is silent too.
 */
export function hangUp(client: Connectable, schedule: Schedule): Promise<boolean> {
  const ending = underWay.get(client) ?? disconnect(client, schedule).finally(() => underWay.delete(client))
  underWay.set(client, ending)
  return ending
}

async function disconnect(client: Connectable, schedule: Schedule): Promise<boolean> {
  if (!isOpen(client)) return true
  return await new Promise((resolve) => {
    const alarm = schedule.at(schedule.clock.now() + NOTICE_MS, () => resolve(false))
    client.once('end', () => {
      schedule.cancel(alarm)
      resolve(true)
    })
    client.disconnect()
    streamOf(client)?.destroy?.()
  })
}

/** Whether there is anything to close. Closing what is closed makes ioredis wait for a goodbye that has been. */
export function isOpen({ status }: Connectable): boolean {
  return status !== 'wait' && status !== 'end'
}
