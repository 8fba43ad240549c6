/* A process can lose its lock while it works. The hold's signal then stops the work. */
import { createServer } from 'node:http'
import process from 'node:process'
import { Holdfast, LockLostError } from 'holdfast'
import { Redis } from 'ioredis'

const redis = new Redis(process.env['HOLDFAST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')
const holdfast = new Holdfast(redis)
const lock = holdfast.lock('example:export')

// A slow service: it accepts requests and never answers.
const service = createServer()
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
const address = service.address()
const port = typeof address === 'object' ? address?.port : undefined

holdfast.on('lost', ({ name, reason }) => console.log(`lost ${name}: ${reason}`))

// An operator forces the lock open while the request is under way.
service.once('request', () => {
  void lock.forceUnlock()
})

try {
  await lock.withLock(async (hold) => {
    // fetch rejects with the signal's reason: the LockLostError.
    await fetch(`http://127.0.0.1:${port}/export`, { signal: hold.signal })
    hold.assertHeld()
    console.log('never printed: another owner may be at it by now')
  })
} catch (error) {
  if (!(error instanceof LockLostError)) throw error
  console.log(`stopped the request: ${error.code}`)
}

service.closeAllConnections()
service.close()
await holdfast.close()
redis.disconnect()
