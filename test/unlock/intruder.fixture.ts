/* Another process that tries to unlock what it does not hold, in two ways, and tells what became of it. */
import process from 'node:process'
import { Holdfast, HoldfastError, NotOwnerError, type Owner } from '../../src/index.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'

interface Task {
  readonly server: { host: string; port: number } | { host: string; port: number }[]
  readonly name: string
  /** The owner in the process that holds. */
  readonly holder: Owner
}

const task: Task = JSON.parse(process.argv[2] ?? '')
const client = Array.isArray(task.server) ? clusterClient(task.server) : standaloneClient({ ...task.server })
const holdfast = new Holdfast(client)
const lock = holdfast.lock(task.name)

async function outcome(attempt: Promise<unknown>): Promise<object> {
  try {
    await attempt
    return { code: 'none' }
  } catch (error) {
    if (error instanceof NotOwnerError)
      return { code: error.code, owner: error.owner, holder: error.holder, lockName: error.lockName }
    return { code: error instanceof HoldfastError ? error.code : String(error) }
  }
}

const me = holdfast.owner()
process.send?.({
  me,
  asItself: await outcome(lock.unlock({ owner: me })),
  asTheHolder: await outcome(lock.unlock({ owner: task.holder })),
})
await holdfast.close()
client.disconnect()
process.disconnect?.()
