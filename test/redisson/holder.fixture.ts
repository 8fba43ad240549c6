/* Takes a lock, says so, and holds it until it is killed. */
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
const hold = await holdfast.lock(task.name).acquire()
process.send?.(hold.owner)
setInterval(() => undefined, 60_000)
