import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'

const redis = new Redis(process.env.REDIS_URL)
const holdfast = new Holdfast(redis, { watchdogThread: true, watchdogMs: 900 })
const hold = await holdfast.lock(process.env.LOCK_NAME).acquire()
await new Promise((resolve) => holdfast.once('renewed', resolve))
const end = performance.now() + 3 * 900
while (performance.now() < end) {
  // Work that gives the event loop no turn.
}
hold.assertHeld()
await hold.release()
await holdfast.close()
await redis.quit()
console.log('kept')
