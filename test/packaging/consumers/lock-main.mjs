import { LockClient, LockTimeoutError } from 'holdfast/lock'
import { Redis } from 'ioredis'

const redis = new Redis(process.env.REDIS_URL)
const holdfast = new LockClient(redis)
const lock = holdfast.lock(process.env.LOCK_NAME)

const nested = await lock.withLock(() => lock.withLock(() => lock.holdCount()))
const hold = await lock.acquire()
const refused = await lock.acquire({ waitMs: 20 }).catch((error) => error instanceof LockTimeoutError)
await hold.release()
console.log(JSON.stringify({ nested, refused, locked: await lock.isLocked() }))

await holdfast.close()
await redis.quit()
