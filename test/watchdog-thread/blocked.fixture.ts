/** A program that blocks for longer than its lease, and says what became of its lock. Ends when nothing keeps it alive. */
import process from 'node:process'
import { Redis } from 'ioredis'
import { blockFor } from './busy.js'
import { BLOCKED_MS, Stand } from './stand.js'

async function main(): Promise<void> {
  const [scenario, port] = process.argv.slice(2)
  const stand = new Stand(new Redis(Number(port), '127.0.0.1', { lazyConnect: true }))
  await stand.start()
  const lease = await stand.hold()
  await stand.hears('renewed')
  blockFor(BLOCKED_MS)
  const held = lease.deadline > stand.now
  if (scenario === 'close') await stand.end()
  // Not ended by exit(): what is left must not keep the process alive.
  process.stdout.write(`${JSON.stringify({ held, causes: stand.causes.map(String) })}\n`)
}

// What is awaited keeps no process alive by itself: the core sees to that, for its callers.
const awaited = setInterval(() => undefined, 1_000)
void main().finally(() => clearInterval(awaited))
