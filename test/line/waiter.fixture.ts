/* A process that waits for a fair lock, says when it stands in line, and what it gets. */
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'

interface Task {
  readonly server: { host: string; port: number }
  readonly name: string
  readonly watchdogMs: number
}

const task: Task = JSON.parse(process.argv[2] ?? '')
const holdfast = new Holdfast(standaloneClient(task.server), { watchdogMs: task.watchdogMs })
holdfast.on('waiting', () => process.send?.('waiting'))
const hold = await holdfast.fairLock(task.name).acquire()
process.send?.('acquired')
// Held until the process is killed.
process.on('message', () => hold.assertHeld())
