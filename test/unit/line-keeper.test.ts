import { beforeEach, describe, expect, test } from 'vitest'
import { LineKeeper } from '../../src/core/line-keeper.js'
import { Outage } from '../../src/core/outage.js'
import { Schedule } from '../../src/core/schedule.js'
import { VirtualClock } from '../../src/memory/index.js'
import { ScriptedLine } from './scripted-line.js'
import { settle } from './scripted-port.js'

/** A third of the places' lease. */
const ROUND_MS = 100
const LONG_MS = 60_000

let clock: VirtualClock
let schedule: Schedule
let line: ScriptedLine
let asked: number
let failed: number
let outage: Outage
let keeper: LineKeeper

beforeEach(() => {
  clock = new VirtualClock()
  schedule = new Schedule(clock, (error) => {
    throw error
  })
  line = new ScriptedLine()
  asked = 0
  failed = 0
  outage = new Outage()
  keeper = new LineKeeper(
    'lock',
    line,
    schedule,
    outage,
    () => {
      asked += 1
    },
    () => {
      failed += 1
    },
  )
})

async function answered(remainingMs: number, askAgain = false): Promise<void> {
  line.answer(remainingMs, askAgain)
  await settle()
}

describe('LineKeeper', () => {
  test('keeps places up every third of their lease, with one command however many wait', async () => {
    for (let waiters = 0; waiters < 5; waiters += 1) keeper.keep(LONG_MS)
    await clock.advance(ROUND_MS - 1)
    expect(line.looks).toBe(0)
    await clock.advance(1)
    expect(line.looks).toBe(1)
    await answered(LONG_MS)
    await clock.advance(ROUND_MS)
    expect(line.looks).toBe(2)
    expect(asked).toBe(0)
  })

  test('looks when the holder’s lease should have ended, and not before the store counts it so', async () => {
    keeper.keep(30)
    await clock.advance(31)
    expect(line.looks).toBe(0)
    await clock.advance(1)
    expect(line.looks).toBe(1)
    await answered(10)
    await clock.advance(12)
    expect(line.looks).toBe(2)
  })

  test('a holder whose lease never ends is looked at no more often than places need', async () => {
    keeper.keep(Number.POSITIVE_INFINITY)
    await clock.advance(ROUND_MS)
    expect(line.looks).toBe(1)
  })

  test('W4: with nobody in line nothing is sent, and no appointment is left', async () => {
    keeper.look()
    expect(line.looks).toBe(0)
    keeper.keep(LONG_MS)
    keeper.rest()
    expect(schedule.size).toBe(0)
    keeper.keep(LONG_MS)
    await clock.advance(ROUND_MS)
    keeper.rest()
    await answered(LONG_MS, true)
    expect(asked).toBe(0)
    expect(schedule.size).toBe(0)
  })

  test('news has it look at once; news that comes meanwhile, once more, and no more than that', async () => {
    keeper.keep(LONG_MS)
    for (let news = 0; news < 4; news += 1) keeper.look()
    expect(line.looks).toBe(1)
    expect(schedule.size).toBe(0)
    await answered(LONG_MS)
    expect(line.looks).toBe(2)
    await answered(LONG_MS)
    expect(line.looks).toBe(2)
    expect(schedule.size).toBe(1)
  })

  test('places that were lost: the waiters are to ask again', async () => {
    keeper.keep(LONG_MS)
    keeper.look()
    await answered(LONG_MS, true)
    expect(asked).toBe(1)
  })

  test('a look that fails is repeated after pauses that grow, and tells that the store has failed', async () => {
    keeper.keep(LONG_MS)
    keeper.look()
    for (const longestMs of [20, 40, 80]) {
      const looks = line.looks
      line.fail()
      await clock.advance(longestMs / 2 - 1)
      expect(line.looks).toBe(looks)
      await clock.advance(longestMs / 2 + 3)
      expect(line.looks).toBe(looks + 1)
    }
    expect(asked).toBe(0)
    expect(failed).toBe(3)
    expect(outage.on).toBe(true)
    await answered(LONG_MS)
    expect(outage.on).toBe(false)
  })
})
