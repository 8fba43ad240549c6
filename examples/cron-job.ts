/* Every machine starts the job at the same minute; one runs it, the others skip it. */
import process from 'node:process'
import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'

const redis = new Redis(process.env['HOLDFAST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')

async function nightly(machine: Holdfast, job: () => Promise<void>): Promise<boolean> {
  await using hold = await machine.lock('example:nightly').tryAcquire()
  if (!hold) return false
  await job()
  return true
}

// Three clients stand for three machines.
const machines = [new Holdfast(redis), new Holdfast(redis), new Holdfast(redis)]

let answered = 0
let everybodyAnswered = (): void => undefined
const answers = new Promise<void>((resolve) => {
  everybodyAnswered = resolve
})

const outcomes = await Promise.all(
  machines.map(async (machine) => {
    // The job runs until the others have been refused, so that this example always prints the same.
    const ran = await nightly(machine, () => answers)
    if (!ran) answered += 1
    if (answered === machines.length - 1) everybodyAnswered()
    return ran
  }),
)
console.log(
  `ran: ${outcomes.filter((ran) => ran).length}, did without: ${outcomes.filter((ran) => !ran).length}`,
)

// When a machine is stopped, its running job may end and release the lock: see docs/shutting-down.md.
await Promise.all(machines.map((machine) => machine.close({ drainMs: 5_000 })))
redis.disconnect()
