/** Rings of three real processes over three locks, in whichever store. */
import { afterEach, expect, test } from 'vitest'
import { kindsOf } from '../../src/client/lock-client.js'
import type { Holdfast } from '../../src/index.js'
import { Forked } from '../redisson/forked.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { heard, labels, type Place, ringOfProcesses } from './members.js'

let rings = 0

/** Names that no ring has had. */
export function freshNames(): string[] {
  rings += 1
  return [0, 1, 2].map((index) => `ring:${process.pid}:${Date.now()}:${rings}:${index}`)
}

/** What is there of these names. */
export interface Traces {
  edges(names: readonly string[]): Promise<number>
  held(names: readonly string[]): Promise<number>
}

export function ringCases(place: () => Place, traces: () => Traces): void {
  afterEach(() => Forked.killAll())

  test('K2: the cycle is named, with labels; all are told, and go on waiting', async () => {
    const names = freshNames()
    const processes = await ringOfProcesses(place(), names)
    // Within two seconds, where time is the subject: test/deadlock/virtual-time.test.ts.
    const words = await Promise.all(processes.map((each) => heard(each, 'deadlock')))
    for (const { labels: told, names: ways } of words) {
      expect([...told].sort()).toEqual([...labels].sort())
      expect([...ways].sort()).toEqual(names.map((name, index) => `${name} > ${names[(index + 1) % 3]}`))
    }
    expect(await traces().edges(names)).toBe(3)
  })

  test('K4, K5: with onDeadlock reject one gives way, the others get both, and nothing is left', async () => {
    const names = freshNames()
    const processes = await ringOfProcesses(place(), names, { onDeadlock: 'reject' })
    const ends = await Promise.all(processes.map((each) => heard(each, 'ended')))
    expect(ends.map((end) => end.with).sort()).toEqual(['DEADLOCK', 'both', 'both'])
    await Promise.all(processes.map((each) => each.ended()))
    expect(await traces().edges(names)).toBe(0)
    expect(await traces().held(names)).toBe(0)
  })

  test('K3, K5: the edge of a process that was killed makes no cycle, and is gone with its time', async () => {
    const names = freshNames()
    const processes = await ringOfProcesses(place(), names, {
      watchdogMs: lasting(2_000),
      onDeadlock: 'report',
    })
    const [victim, ...others] = processes
    if (!victim) throw new Error('there are three')
    await heard(victim, 'deadlock')
    await victim.kill()
    // Its lock ends with its lease; then the one that waited for it has both, then the other.
    const ends = await Promise.all(others.map((each) => heard(each, 'ended')))
    expect(ends.map((end) => end.with)).toEqual(['both', 'both'])
    const edges = (): Promise<number> => traces().edges(names)
    await eventually(edges, (count) => count === 0)
  })
}

/** As a client of any store sees them. */
export function tracesOf(holdfast: Holdfast): Traces {
  return {
    edges: async (names) => {
      const { edges } = kindsOf(holdfast).session
      if (!edges) throw new Error('it has edges')
      let count = 0
      for await (const { waitsFor } of edges.list()) if (names.includes(waitsFor.name)) count += 1
      return count
    },
    held: async (names) => {
      const locked = await Promise.all(names.map((name) => holdfast.lock(name).isLocked()))
      return locked.filter(Boolean).length
    },
  }
}
