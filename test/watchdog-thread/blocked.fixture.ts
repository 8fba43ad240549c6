/** A program that blocks for longer than its lease, and says what became of its lock. Ends when nothing keeps it alive. */
import process from 'node:process'
import { Redis } from 'ioredis'
import { Holdfast } from '../../src/index.js'
import { blockFor } from './busy.js'

const LEASE_MS = 2_100

async function main(): Promise<void> {
  const [scenario, port] = process.argv.slice(2)
  const client = new Redis(Number(port), '127.0.0.1', { lazyConnect: true })
  const holdfast = new Holdfast(client, { watchdogMs: LEASE_MS, watchdogThread: true })
  const causes: string[] = []
  holdfast.on('error', (error) => causes.push(String(error)))
  const hold = await holdfast.lock(`program:${process.pid}:${Date.now()}`).acquire()
  await new Promise((resolve) => holdfast.once('renewed', resolve))
  blockFor(1.5 * LEASE_MS)
  const held = hold.remainingMs() > 0
  await hold.release()
  if (scenario === 'close') await holdfast.close()
  client.disconnect()
  // Not ended by exit(): what is left must not keep the process alive.
  process.stdout.write(`${JSON.stringify({ held, causes })}\n`)
}

// What is awaited keeps no process alive by itself: the core sees to that, for its callers.
const awaited = setInterval(() => undefined, 1_000)
void main().finally(() => clearInterval(awaited))
