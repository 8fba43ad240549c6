/** Listens to everything and throws each time, takes a lock all the same, and prints what the process made of it. */
import { tracingChannel } from 'node:diagnostics_channel'
import { setImmediate } from 'node:timers/promises'
import { Holdfast } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

let uncaught = 0
process.on('uncaughtException', (error) => {
  if (error.message === 'listener') uncaught += 1
})

for (const name of ['holdfast:acquire', 'holdfast:hold', 'holdfast:release']) {
  const channel = tracingChannel(name)
  const fail = (): never => {
    throw new Error('listener')
  }
  channel.subscribe({ start: fail, end: fail, asyncStart: fail, asyncEnd: fail, error: fail })
}

const holdfast = new Holdfast(new MemoryStore())
const lock = holdfast.lock('job')
console.log(await lock.withLock(() => 'done'))
console.log(await lock.isLocked())
await holdfast.close()
// Node rethrows on the next tick, and none of the above has given it one.
await setImmediate()
console.log(uncaught)
