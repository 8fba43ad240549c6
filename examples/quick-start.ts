/* One section at a time, across all processes that use the same Redis. */
import process from 'node:process'
import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'

const redis = new Redis(process.env['HOLDFAST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')
const holdfast = new Holdfast(redis)
const lock = holdfast.lock('example:invoice:42')

let total = 0

// Read, pause, write: without the lock all five would read 0.
async function addItem(price: number): Promise<void> {
  await lock.withLock(async () => {
    const before = total
    await new Promise((resolve) => setImmediate(resolve))
    total = before + price
  })
}

await Promise.all([1, 2, 3, 4, 5].map(addItem))
console.log(`total: ${total}`)
console.log(`still locked: ${await lock.isLocked()}`)

await holdfast.close()
redis.disconnect()
