/* Every machine starts the job at the same minute by its own clock; one runs it, the others skip it. */
import process from 'node:process'
import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'

const redis = new Redis(process.env['HOLDFAST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')

// Three clients stand for three machines.
const machines = [new Holdfast(redis), new Holdfast(redis), new Holdfast(redis)]

// The job takes a moment, and the second and the third clock are behind the first: without atLeastMs all three would run it.
for (const machine of machines) {
  const outcome = await machine.job('example:nightly', { atLeastMs: 2_000, atMostMs: 60_000 }, () => 'report')
  console.log(outcome.ran ? `ran: ${outcome.value}` : 'did without')
}

// When a machine is stopped, its running job may end: see docs/shutting-down.md.
await Promise.all(machines.map((machine) => machine.close({ drainMs: 5_000 })))
redis.disconnect()
