/** Leaders that die, and leaders that stand still and wake up late, on a real server. */
import { type ChildProcess, fork } from 'node:child_process'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { eventually } from '../setup/eventually.js'
import { programOf } from '../setup/programs.js'
import type { Task, Word } from './candidate.fixture.js'

const watchdogMs = 3_000
const started: ChildProcess[] = []
let names = 0

class Candidate {
  readonly words: Word[] = []
  readonly process: ChildProcess

  constructor(name: string) {
    const task: Task = { server: inject('servers').standalone, name, watchdogMs }
    const program = programOf(new URL('./candidate.fixture.ts', import.meta.url))
    this.process = fork(program, [JSON.stringify(task)], { execArgv: [] })
    this.process.on('message', (word: Word) => this.words.push(word))
    started.push(this.process)
  }

  /** The token of its latest term. */
  get fence(): bigint | undefined {
    const elected = this.words.findLast((word) => 'elected' in word)
    return elected && BigInt(elected.elected)
  }

  async says(word: Partial<Record<string, unknown>>): Promise<void> {
    await eventually(() => this.words.some((each) => JSON.stringify(each) === JSON.stringify(word)))
  }
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** The first of two is elected, and then the other, since that signal has come to the first. */
async function succession(signal: NodeJS.Signals) {
  names += 1
  const name = `leader:crash:${process.pid}:${Date.now()}:${names}`
  const first = new Candidate(name)
  const before = await eventually(() => first.fence)
  const second = new Candidate(name)
  first.process.kill(signal)
  const after = await eventually(() => second.fence)
  expect(after).toBeGreaterThan(before ?? 0n)
  return { first, before, second, after }
}

describe('a leader that is gone', () => {
  test('E3: after a SIGKILL the next is elected when the lease ends, with a greater fence', () =>
    succession('SIGKILL'))

  test('E1: one that is stopped past its lease and wakes up late does not believe to lead', async () => {
    const { first, before, second, after } = await succession('SIGSTOP')
    // The question waits in its pipe: it is read before any timer of the process gets to the end of the lease.
    first.process.send('do you lead?')
    first.process.kill('SIGCONT')
    await first.says({ leads: false, aborted: true })
    await first.says({ ended: 'lost' })
    second.process.kill('SIGKILL')
    // It stands again.
    const again = await eventually(() => (first.fence === before ? undefined : first.fence))
    expect(again).toBeGreaterThan(after ?? 0n)
  })
})
