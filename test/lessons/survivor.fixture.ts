/* Holds a lock whose renewals fail until it is lost, then goes on. Anything thrown from a timer would end it. */
import { once } from 'node:events'
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'

interface Task {
  readonly server: { host: string; port: number }
  readonly name: string
}

const task: Task = JSON.parse(process.argv[2] ?? '')
const client = standaloneClient(task.server)
// Holdfast keeps no process alive by itself; an application has work of its own.
const work = setInterval(() => undefined, 60_000)
// No listener for errors: they must not end it either.
const holdfast = new Holdfast(client, { watchdogMs: 600, commandTimeoutMs: 100 })
const lost = new Promise<void>((resolve) => {
  holdfast.on('lost', () => resolve())
})
const hold = await holdfast.lock(task.name).acquire()
process.send?.('held')
await lost
process.send?.('lost')
await once(process, 'message')
await hold.release().catch(() => undefined)
await holdfast.lock(task.name).withLock({ waitMs: 10_000 }, () => process.send?.('works again'))
clearInterval(work)
await holdfast.close()
client.disconnect()
process.disconnect?.()
