import type { Schedule } from '../../../base/time/schedule.js'
import type { Connectable } from './client.js'
import { streamOf } from './stream.js'

/** How long a client has to notice its disconnection. For half of that it may wait for the peer's goodbye. */
const NOTICE_MS = 200

/** Callers that hang up on one client at the same time share one attempt: each would add listeners, and disconnect again. */
const underWay = new WeakMap<Connectable, Promise<boolean>>()

/**
 * Breaks a connection without waiting for the goodbye of a silent peer. Resolves when the client knows that it has no connection, so that
 * the next command opens a new one; to `false` if the client does not notice, because it waits for another silent server (a sentinel, a
 * name server).
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

/** Whether there is a connection to close. Closing it twice makes ioredis wait for a goodbye that has already come. */
export function isOpen({ status }: Connectable): boolean {
  return status !== 'wait' && status !== 'end'
}
