// A program that blocks for longer than its lease, and says what became of its lock. Ends when nothing keeps it alive.
import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'

// Long enough for a thread that waits its turn on a busy machine.
const LEASE_MS = 3_000

async function main() {
  const redis = new Redis(process.env.REDIS_URL, { lazyConnect: true })
  const holdfast = new Holdfast(redis, { watchdogThread: true, watchdogMs: LEASE_MS })
  const causes = []
  holdfast.on('error', (error) => causes.push(String(error)))
  const hold = await holdfast.lock(process.env.LOCK_NAME).acquire()
  await new Promise((resolve) => holdfast.once('renewed', resolve))
  const end = performance.now() + 1.5 * LEASE_MS
  while (performance.now() < end) {
    // Work that gives the event loop no turn.
  }
  const held = hold.remainingMs() > 0
  await hold.release()
  if (process.argv[2] === 'close') await holdfast.close()
  redis.disconnect()
  // Not ended by exit(): what is left must not keep the process alive.
  console.log(JSON.stringify({ held, causes }))
}

// What is awaited keeps no process alive by itself.
const awaited = setInterval(() => undefined, 1_000)
void main().finally(() => clearInterval(awaited))
