/* A process that holds a lock in a database. When it is asked it tells whether it still believes that, and what came of its release. */
import process from 'node:process'
import { Holdfast, HoldfastError } from '../../src/index.js'
import { type Rows, storeOf } from './store-of.js'

export interface HolderTask {
  readonly rows: Rows
  readonly name: string
  readonly watchdogMs: number
}

const { rows, name, watchdogMs }: HolderTask = JSON.parse(process.argv[2] ?? '')
const holdfast = new Holdfast(storeOf(rows), { watchdogMs })
const hold = await holdfast.lock(name).acquire()
process.on('message', async () => {
  const check = await outcomeOf(async () => hold.assertHeld())
  process.send?.({ check, release: await outcomeOf(() => hold.release()) })
  await holdfast.close()
  process.disconnect()
})
process.send?.('holds')

async function outcomeOf(work: () => Promise<void>): Promise<string> {
  return await work().then(
    () => 'done',
    (error: unknown) => (error instanceof HoldfastError ? error.code : String(error)),
  )
}
