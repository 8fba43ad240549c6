/** Leaders that die, and leaders that stand still and wake up late, on a real server. */
import { type ChildProcess, fork } from 'node:child_process'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { eventually } from '../setup/eventually.js'
import { programOf } from '../setup/programs.js'
import type { Task, Word } from './candidate.fixture.js'

const watchdogMs = 1_500
const started: ChildProcess[] = []
let names = 0

class Candidate {
  readonly words: Word[] = []
  readonly process: ChildProcess

  constructor(name: string) {
    const task: Task = { server: inject('servers').standalone, name, watchdogMs }
    this.process = fork(
      programOf(new URL('./candidate.fixture.ts', import.meta.url)),
      [JSON.stringify(task)],
      {
        execArgv: [],
      },
    )
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

function electionName(): string {
  names += 1
  return `leader:crash:${process.pid}:${Date.now()}:${names}`
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

describe('a leader that is gone', () => {
  test('E3: after a SIGKILL the next is elected when the lease ends, with a greater fence', async () => {
    const name = electionName()
    const first = new Candidate(name)
    const before = await eventually(() => first.fence)
    const second = new Candidate(name)
    first.process.kill('SIGKILL')
    const after = await eventually(() => second.fence)
    expect(after).toBeGreaterThan(before ?? 0n)
  })

  test('E1: one that is stopped past its lease and wakes up late does not believe to lead', async () => {
    const name = electionName()
    const first = new Candidate(name)
    const before = await eventually(() => first.fence)
    const second = new Candidate(name)
    first.process.kill('SIGSTOP')
    const after = await eventually(() => second.fence)
    expect(after).toBeGreaterThan(before ?? 0n)
    // The question waits in its pipe: it is read before any timer of the process gets to the end of the lease.
    first.process.send('do you lead?')
    first.process.kill('SIGCONT')
    await first.says({ leads: false, aborted: true })
    await first.says({ ended: 'lost' })
    second.process.kill('SIGKILL')
    // It stands again.
    expect(await eventually(() => (first.fence === before ? undefined : first.fence))).toBeGreaterThan(
      after ?? 0n,
    )
  })
})
