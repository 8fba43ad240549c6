import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'

// Long enough for a thread that waits its turn on a busy machine.
const LEASE_MS = 3_000
const redis = new Redis(process.env.REDIS_URL)
const holdfast = new Holdfast(redis, { watchdogThread: true, watchdogMs: LEASE_MS })
const hold = await holdfast.lock(process.env.LOCK_NAME).acquire()
await new Promise((resolve) => holdfast.once('renewed', resolve))
const end = performance.now() + 1.5 * LEASE_MS
while (performance.now() < end) {
  // Work that gives the event loop no turn.
}
hold.assertHeld()
await hold.release()
await holdfast.close()
await redis.quit()
console.log('kept')
