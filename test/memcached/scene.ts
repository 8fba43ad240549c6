import { onTestFinished } from 'vitest'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { type MemcachedOptions, memcached } from '../../src/stores/memcached/index.js'
import { keyOf } from '../../src/stores/memcached/key.js'
import { raw } from './raw.js'

interface At {
  readonly host: string
  readonly port: number
}

/** A client of these servers, until the end of the test. */
export function open(
  at: At | readonly At[],
  options: HoldfastOptions = {},
  terms: Omit<MemcachedOptions, 'servers'> = {},
): Holdfast {
  const servers = [at].flat().map(({ host, port }) => `${host}:${port}`)
  const holdfast = new Holdfast(memcached({ servers, ...terms }), options)
  onTestFinished(() => holdfast.close())
  return holdfast
}

/** Whose item that server has for the lock, if any. */
export async function ownerAt(server: At, name: string): Promise<string | undefined> {
  return /^VA \d+\r\n(.*)\r$/m.exec(await raw(server, `mg ${keyOf(name)} v`))?.[1]
}
