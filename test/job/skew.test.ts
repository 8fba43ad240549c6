/** One run per fleet and fire time although each machine goes by a clock of its own (rule J2), on a real server. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, inject, test } from 'vitest'
import { programOf } from '../setup/programs.js'
import type { Task } from './machine.fixture.js'

/** How far the machines' clocks are off: more than the job takes. */
const skewsMs = [-400, -150, 0, 150, 400]

async function said(machine: ChildProcess): Promise<unknown> {
  const [words]: unknown[] = await once(machine, 'message')
  return words
}

/** How many machines run the job that all of them fire at one time by their own clocks. */
async function runsOf(name: string, atLeastMs: number): Promise<number> {
  const server = inject('servers').standalone
  const program = programOf(new URL('./machine.fixture.ts', import.meta.url))
  const machines = skewsMs.map((skewMs) => {
    const task: Task = { server, name, skewMs, atLeastMs }
    return fork(program, [JSON.stringify(task)], { execArgv: [] })
  })
  await Promise.all(machines.map(said))
  const outcomes = machines.map(said)
  const ends = machines.map((machine) => once(machine, 'exit'))
  for (const machine of machines) machine.send({ at: Date.now() + 1_000 })
  const ran = await Promise.all(outcomes)
  expect(await Promise.all(ends)).toEqual(machines.map(() => [0, null]))
  return ran.filter((each) => JSON.stringify(each) === '{"ran":true}').length
}

describe('a job on machines whose clocks differ', () => {
  const name = `job:skew:${process.pid}:${Date.now()}`

  test('J2: it runs once with an atLeastMs above the difference', async () => {
    expect(await runsOf(`${name}:kept`, 20_000)).toBe(1)
  })

  test('without that it runs again and again: so the clocks do differ', async () => {
    expect(await runsOf(`${name}:let go`, 0)).toBeGreaterThan(1)
  })
})
