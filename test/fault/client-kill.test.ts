import { beforeEach, describe, expect, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'
import { eventsOf } from './heard.js'

import { stage } from './stage.js'

const cases = [
  { library: 'ioredis-6', role: 'commands' },
  { library: 'ioredis-5', role: 'commands' },
  { library: 'ioredis-5', role: 'news' },
] as const

describe.each(cases)('CLIENT KILL of the connection for $role ($library)', ({ library, role }) => {
  const { scene } = stage(library)
  let holder: Holdfast
  let waiter: Holdfast

  beforeEach(() => {
    // Holdfast names its connections where the application names its own.
    const client = { connectionName: 'application' }
    holder = scene.holdfast({ watchdogMs: 3_000, commandTimeoutMs: 500 }, { client })
    waiter = scene.holdfast({ commandTimeoutMs: 500 }, { client })
  })

  /** Kills all connections of that role; says how many there were. */
  async function kill(): Promise<number> {
    const list = String(await scene.direct.call('CLIENT', 'LIST'))
    const ids = list
      .split('\n')
      .filter((line) => line.includes(` name=holdfast-${role} `))
      .map((line) => /^id=(\d+)/.exec(line)?.[1] ?? '')
    for (const id of ids) await scene.direct.call('CLIENT', 'KILL', 'ID', id)
    return ids.length
  }

  test('while the lock is held: it is renewed and released over a new one', async () => {
    const hold = await holder.lock(scene.name).acquire()
    const heard = eventsOf(holder, ['renewed', 'lost'])
    expect(await kill()).toBe(role === 'commands' ? 1 : 0)
    await eventually(() => heard.filter((event) => event === 'renewed').length >= 2)
    expect(await kill()).toBe(role === 'commands' ? 1 : 0)
    await hold.release()
    expect(heard).not.toContain('lost')
    await scene.nothingLeft()
  })

  test('W2: while one waits, and the release is announced meanwhile: the waiter looks for itself', async () => {
    for (let round = 0; round < 5; round += 1) {
      // A lease so long that its end wakes nobody here.
      const hold = await holder.lock(scene.name).acquire({ leaseMs: 60_000 })
      const waiting = waiter.lock(scene.name).acquire()
      await eventually(async () => (await scene.channels()).length > 0)
      const [killed] = await Promise.all([kill(), hold.release()])
      expect(killed).toBeGreaterThan(0)
      const next = await waiting
      expect(await scene.holds()).toEqual({ [next.owner]: '1' })
      await next.release()
      await scene.nothingLeft()
    }
  })
})
