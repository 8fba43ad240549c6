import { afterEach, beforeEach } from 'vitest'
import { type Hold, Holdfast, type HoldfastOptions, StoreError } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { ScriptedPort, settle } from '../unit/scripted-port.js'

export const passing = new StoreError('unreachable', 'acquire', { transient: true })
export const final = new StoreError('out-of-memory', 'acquire', { transient: false })
export const granted = { outcome: 'granted' } as const

/** Of the test that runs. */
export let clock: VirtualClock
export let port: ScriptedPort
let made: Holdfast[]

/** Gives each test of the file a store that answers what the test says, when it says so. */
export function scriptStore(): void {
  beforeEach(() => {
    clock = new VirtualClock()
    port = new ScriptedPort(true)
    made = []
  })
  afterEach(async () => {
    await Promise.all(made.map((holdfast) => holdfast.close()))
  })
}

export function holdfastWith(options: HoldfastOptions = {}): Holdfast {
  const holdfast = new Holdfast(
    { clock, open: () => ({ lock: port, close: async () => undefined }) },
    options,
  )
  made.push(holdfast)
  return holdfast
}

/** Waits for what was just sent to be answered with a grant. */
export async function grant(acquiring: Promise<Hold>): Promise<Hold> {
  await settle()
  port.acquires.last.answer(granted)
  return await acquiring
}

/** How a call ended, once it has. */
export function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (error: unknown) => error,
  )
}
