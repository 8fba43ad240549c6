/* A process of a fleet: its clients go through guarded sections side by side, and say when they are done. */
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'
import { UnguardedCounter } from './unguarded-counter.js'

interface Task {
  readonly server: { host: string; port: number }
  readonly name: string
  readonly clients: number
  readonly rounds: number
}

const task: Task = JSON.parse(process.argv[2] ?? '')
const raw = standaloneClient(task.server)
const counter = new UnguardedCounter(raw, task.name)

async function work(holdfast: Holdfast): Promise<void> {
  const lock = holdfast.lock(task.name)
  for (let round = 0; round < task.rounds; round += 1) {
    await holdfast.run(async () => {
      await lock.lock()
      try {
        await counter.section()
      } finally {
        await lock.unlock()
      }
    })
  }
}

const holdfasts = Array.from({ length: task.clients }, () => new Holdfast(raw))
await Promise.all(holdfasts.map((holdfast) => work(holdfast)))
await Promise.all(holdfasts.map((holdfast) => holdfast.close()))
raw.disconnect()
process.send?.('done')
process.disconnect?.()
