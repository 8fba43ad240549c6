/* A process whose waiters take one lock again and again, each writing its name into a list, until there are so many names in it. */
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { Holdfast } from '../../src/index.js'
import { clientAt } from './client-at.js'

export interface Task {
  readonly nodes: Array<{ host: string; port: number }>
  readonly name: string
  readonly list: string
  readonly waiters: readonly string[]
  readonly tenures: number
}

const { nodes, name, list, waiters, tenures }: Task = JSON.parse(process.argv[2] ?? '')
const client = clientAt(nodes)
const holdfast = new Holdfast(client)
const lock = holdfast.lock(name)

async function takeTurns(waiter: string): Promise<void> {
  for (let written = 0; written < tenures; )
    await lock.withLock(async () => {
      written = Number(await client.call('RPUSH', list, waiter))
      await pause(1)
    })
}

await Promise.all(waiters.map(takeTurns))
await holdfast.close()
client.disconnect()
process.send?.('done')
process.disconnect?.()
