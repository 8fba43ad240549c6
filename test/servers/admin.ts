import { Redis } from 'ioredis'
import type { Endpoint } from '../wire/wire.js'

/** Sends commands to one server over a connection of their own and closes it afterwards. */
export async function withAdmin<T>(
  { host, port }: Endpoint,
  use: (command: (name: string, ...words: (string | number)[]) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const client = new Redis({
    host,
    port,
    lazyConnect: true,
    retryStrategy: () => null,
    commandTimeout: 5_000,
  })
  // Failures surface in the commands; without a listener ioredis prints them as well.
  client.on('error', () => {})
  try {
    await client.connect()
    return await use((name, ...words) => client.call(name, ...words))
  } finally {
    client.disconnect()
  }
}

export async function ask(
  server: Endpoint | undefined,
  name: string,
  ...words: (string | number)[]
): Promise<unknown> {
  if (!server) throw new Error('no such server')
  return await withAdmin(server, (command) => command(name, ...words))
}
