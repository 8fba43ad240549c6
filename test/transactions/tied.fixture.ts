/* Takes the lock, begins a transaction, and is paused by its parent past its lease: before or after it has tied the lock to the transaction. */
import { once } from 'node:events'
import process from 'node:process'
import { HoldfastError } from '../../src/base/errors/errors.js'
import { Holdfast } from '../../src/index.js'
import type { ProductName, SqlAddress } from '../servers/sql/index.js'
import { connectTo, storeAt } from './application.js'

interface Task {
  readonly product: ProductName
  readonly address: SqlAddress
  readonly name: string
  readonly leaseMs: number
  /** When it lets itself be paused. */
  readonly pausesWhen: 'holding' | 'tied'
}

process.channel?.ref()
const task: Task = JSON.parse(process.argv[2] ?? '')
const { product, address, name, leaseMs, pausesWhen } = task
const { tx, run, end } = await connectTo(product, address)
const holdfast = new Holdfast(storeAt(product, address))
const hold = await holdfast.lock(name).acquire({ leaseMs })
await run('BEGIN')
if (pausesWhen === 'tied') await hold.confirm(tx)
const woken = once(process, 'message')
process.send?.('ready')
await woken
try {
  // The last moment at which the lock could be lost with nobody the wiser.
  if (pausesWhen === 'holding') await hold.confirm(tx)
  await run(`INSERT INTO written VALUES ('paused')`)
  await run('COMMIT')
  process.send?.('committed')
} catch (error) {
  await run('ROLLBACK')
  process.send?.(error instanceof HoldfastError ? error.code : String(error))
}
await end()
await holdfast.close()
process.disconnect()
