import type { Connectable } from './client.js'
import { streamOf } from './stream.js'

/**
 * Breaks a connection for good measure: a peer that has gone silent is not waited for to say goodbye. Resolves when the client
 * knows that it is unconnected, so that what is sent next goes over a new connection and not into this one.
 */
export async function hangUp(client: Connectable): Promise<void> {
  if (!isOpen(client)) return
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
  client.disconnect()
  streamOf(client)?.destroy?.()
  await ended
}

/** Whether there is anything to close. Closing what is closed makes ioredis wait for a goodbye that has been. */
export function isOpen({ status }: Connectable): boolean {
  return status !== 'wait' && status !== 'end'
}
