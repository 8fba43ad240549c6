/* Redisson's API: lock() and unlock() in an owner scope, which takes the place of a Java thread. */
import process from 'node:process'
import { Holdfast, NoOwnerError, NotOwnerError } from 'holdfast'
import { Redis } from 'ioredis'

const redis = new Redis(process.env['HOLDFAST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')
const holdfast = new Holdfast(redis)
const lock = holdfast.lock('example:stock')

await holdfast.run(async () => {
  await lock.lock()
  try {
    console.log(`once more: ${await lock.tryLock()}`)
    console.log(`holds: ${await lock.holdCount()}`)

    // Another scope is another owner.
    const stranger = new Holdfast(redis)
    await stranger.run(async () => {
      console.log(`a stranger gets it: ${await stranger.lock('example:stock').tryLock({ waitMs: 50 })}`)
      await stranger.lock('example:stock').unlock().catch(explain)
    })
    await stranger.close()

    await lock.unlock()
  } finally {
    await lock.unlock()
  }
  await lock.unlock().catch(explain)
})

// Outside a scope the lock has no owner.
await lock.lock().catch(explain)

function explain(error: unknown): void {
  if (error instanceof NotOwnerError) console.log(`refused: ${error.code}`)
  else if (error instanceof NoOwnerError) console.log(`refused: ${error.code}`)
  else throw error
}

await holdfast.close()
redis.disconnect()
