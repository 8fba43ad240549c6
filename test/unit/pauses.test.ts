import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { Schedule } from '../../src/base/time/schedule.js'
import { Pauses } from '../../src/base/waiting/pauses.js'
import { Orphans } from '../../src/core/tenure/orphans.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { heapInUse } from '../setup/heap.js'
import { ScriptedPort } from './scripted-port.js'
import { servicesOn } from './services.js'

describe('Pauses', () => {
  const fail = (error: unknown): void => expect.fail(String(error))

  test('one ends at its time, those that stand and those to come at the end', async () => {
    const clock = new VirtualClock()
    const schedule = new Schedule(clock, fail)
    const pauses = new Pauses(schedule)
    const ended: string[] = []
    void pauses.until(10).then(() => ended.push('first'))
    void pauses.until(1_000).then(() => ended.push('second'))
    await clock.advance(20)
    expect(ended).toEqual(['first'])
    pauses.end()
    await pauses.until(2_000).then(() => ended.push('third'))
    expect(ended).toEqual(['first', 'second', 'third'])
    expect(schedule.size).toBe(0)
  })

  test('H30: what is tried again and again leaves nothing behind', async () => {
    class Away extends ScriptedPort {
      tries = 0
      override abandon = async (): Promise<void> => {
        this.tries += 1
        throw new StoreError('unreachable', 'release', { transient: true })
      }
    }
    const clock = new VirtualClock()
    const port = new Away()
    const orphans = new Orphans(servicesOn(port, new Schedule(clock, fail)))
    const request = { name: 'lock', owner: 'client:1', heldBefore: 0, leaseMs: 100_000_000 } as const
    void orphans.begin(request, Promise.resolve({ outcome: 'granted' }))
    const tries = async (count: number): Promise<void> => {
      for (const before = port.tries; port.tries < before + count; ) await clock.advance(500)
    }
    await tries(1_000)
    const heap = await heapInUse()
    await tries(20_000)
    expect((await heapInUse()) - heap).toBeLessThan(1_000_000)
    orphans.giveUp()
    await orphans.close()
  })
})
