/** A lock that was given to somebody else while this process listened, and heard nothing (rule W7). */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { Holdfast } from '../../src/index.js'
import type { AcquireReply } from '../../src/port/lock-port.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { ScriptedPort, settle, storeOn } from './scripted-port.js'

const busyWith = (holder: Owner): AcquireReply => ({ outcome: 'busy', holder, remainingMs: 1_000 })

let clock: VirtualClock
let port: ScriptedPort
let holdfast: Holdfast
let waiting: Promise<unknown>

beforeEach(async () => {
  clock = new VirtualClock()
  port = new ScriptedPort(true)
  holdfast = new Holdfast(storeOn(clock, port))
  waiting = holdfast
    .lock('lock')
    .acquire()
    .catch((error: unknown) => error)
  await answered(busyWith('a:1'))
  port.watches.last.answer()
  await answered(busyWith('a:1'))
})
afterEach(async () => {
  const closing = holdfast.close()
  await settle()
  for (const { answer } of port.abandons.all) answer()
  await closing
  await waiting
})

async function answered(reply: AcquireReply): Promise<void> {
  await settle()
  port.acquires.last.answer(reply)
  await settle()
}

/** The store is asked again: its last answer is of that time. */
async function asksAgain(reply: AcquireReply): Promise<void> {
  const before = port.acquires.all.length
  await clock.advance(1_100)
  expect(port.acquires.all.length).toBe(before + 1)
  await answered(reply)
}

test.each([
  { what: 'another has it, and nothing was heard', holder: 'b:1', heard: false, doubts: 1 },
  { what: 'another has it, as was heard', holder: 'b:1', heard: true, doubts: 0 },
  { what: 'the same one has it', holder: 'a:1', heard: false, doubts: 0 },
] as const)('W7: $what: doubted $doubts times', async ({ holder, heard, doubts }) => {
  if (heard) {
    port.watches.last.request.onNews()
    await answered(busyWith(holder))
  } else await asksAgain(busyWith(holder))
  expect(port.doubts).toBe(doubts)
  // It is asked of each answer anew.
  await asksAgain(busyWith(holder))
  expect(port.doubts).toBe(doubts)
})
