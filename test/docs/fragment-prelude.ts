/*
 * What stands around a block in the pages that is no complete program, when it runs: the values of what prelude.ts declares. The old
 * libraries of the pages on migration only run the section. Loaded before the block, in the reader's project.
 */
import { strict as assert } from 'node:assert'
import { createServer } from 'node:http'
import net from 'node:net'
import process from 'node:process'
import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'

/** The addresses that pages make up, and where there is a server instead. */
const network: Readonly<Record<string, number>> = JSON.parse(process.env['NETWORK'] ?? '{}')

const { connect } = net.Socket.prototype
/** Node gives its own list of arguments in a list. */
function connectThere(this: net.Socket, ...args: unknown[]): net.Socket {
  const [first] = args
  const options: unknown = Array.isArray(first) ? first[0] : first
  if (typeof options === 'object' && options !== null && 'port' in options) {
    const host = 'host' in options ? options.host : 'localhost'
    const port = network[`${host}:${options.port}`]
    if (port !== undefined) Object.assign(options, { host: '127.0.0.1', port })
  }
  return Reflect.apply(connect, this, args)
}
Object.assign(net.Socket.prototype, { connect: connectThere })

const redis = new Redis(process.env['HOLDFAST_REDIS_URL'] ?? '')
const holdfast = new Holdfast(redis)
const { signal } = new AbortController()
const say = (): void => undefined

class OldSemaphore {
  async acquire(): Promise<void> {}
  async tryAcquire(): Promise<boolean> {
    return true
  }
  async release(): Promise<void> {}
}

Object.assign(globalThis, {
  redis,
  holdfast,
  lock: holdfast.lock('prelude'),
  hold: await holdfast.fencedLock('prelude:fenced').acquire(),
  signal,
  server: createServer(),
  logger: { debug: say, info: say, warn: say, error: say },
  test: async (_name: string, body: () => Promise<void>) => await body(),
  expect: (value: unknown) => ({ toBe: (expected: unknown) => assert.equal(value, expected) }),
  settle: async () => undefined,
  stop: say,
  redlock: {
    using: async (_names: string[], _ms: number, body: (given: { aborted: boolean }) => unknown) =>
      await body(signal),
  },
  Semaphore: OldSemaphore,
  Mutex: OldSemaphore,
  verrou: { createLock: () => ({ run: async (body: () => Promise<unknown>) => [true, await body()] }) },
  IoredisAdapter: class {},
  createLock: () => ({ using: async (body: (given: AbortSignal) => unknown) => await body(signal) }),
  redisson: { getLock: () => ({ lock: async () => undefined, unlock: async () => undefined }) },
})
