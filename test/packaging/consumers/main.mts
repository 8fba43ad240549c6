/** Everything a program may import, in a project as strict as TypeScript can be; compiled by the packaging tests. */
import process from 'node:process'
import {
  type AcquireOptions,
  type Hold,
  Holdfast,
  HoldfastError,
  type Lock,
  LockLostError,
  type LockState,
  LockTimeoutError,
  type NotOwnerError,
  type Owner,
} from 'holdfast'
import { MemoryStore } from 'holdfast/memory'
import { sqlite } from 'holdfast/sqlite'
import { zookeeper } from 'holdfast/zookeeper'
import { Cluster, Redis } from 'ioredis'

const redis = new Redis(process.env['REDIS_URL'] ?? '')
await using holdfast = new Holdfast(redis, { watchdogMs: 10_000 })
const lock: Lock = holdfast.lock(process.env['LOCK_NAME'] ?? '')
holdfast.on('lost', ({ name, owner, reason }) =>
  console.error(name satisfies string, owner satisfies Owner, reason),
)

const nested: number = await lock.withLock({ waitMs: 2_000, leaseMs: 10_000 }, async (hold: Hold) => {
  hold.assertHeld()
  return await lock.withLock(() => lock.holdCount())
})

let refused = false
{
  await using hold = await lock.acquire({ signal: AbortSignal.timeout(10_000) })
  const options: AcquireOptions = { waitMs: 20 }
  try {
    await lock.acquire(options)
  } catch (error) {
    refused = error instanceof LockTimeoutError && error.holder === hold.owner
    if (error instanceof LockLostError) error satisfies NotOwnerError
    if (!(error instanceof HoldfastError)) throw error
  }
}

const state: LockState = await lock.inspect()
console.log(JSON.stringify({ nested, refused, locked: state.owners.length > 0 }))

// A cluster and a store are taken too; nothing connects here.
new Holdfast(new Cluster([{ port: 1 }], { lazyConnect: true }))
new Holdfast(new MemoryStore())
new Holdfast(zookeeper({ servers: 'zoo1:2181,zoo2:2181', root: '/locks' }))
// Not run: which SQLite there is depends on the Node.
export const inFile = (): Holdfast => new Holdfast(sqlite({ path: 'locks.db', mode: 0o660 }))
// @ts-expect-error a number is no client
const wrong = (): Holdfast => new Holdfast(6379)
// @ts-expect-error an option nobody knows
const misspelt = (): Promise<Hold> => lock.acquire({ waitMS: 20 })

export { misspelt, wrong }

await redis.quit()
