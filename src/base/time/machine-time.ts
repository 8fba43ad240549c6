import process from 'node:process'
import timers from 'node:timers'
import promised from 'node:timers/promises'

/*
 * Time as this machine has it when the library is loaded. A test that sets fake timers later, as Jest and Vitest do, means the
 * application's: a server goes on by the real time, and a lock has to keep up with it.
 */

export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = timers
export const { queueMicrotask } = globalThis
export const nextTick = process.nextTick.bind(process)
/** A timer to await. */
export const { setTimeout: pause } = promised

const ticks = process.hrtime.bigint.bind(process.hrtime)

/** The clocks of this machine. */
export const machineTime = {
  /** Never set; its zero is each thread's own. */
  monotonicMs: performance.now.bind(performance),
  /** The same with one zero for all threads of the process, and on Linux for all processes. */
  sharedUs: (): number => Number(ticks() / 1_000n),
  /** Since 1970, by a clock that may be set. */
  wallMs: Date.now.bind(Date),
}
