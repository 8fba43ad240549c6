/* Takes a lock, says so, and holds it until it is killed. */
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'

interface Task {
  readonly server: { host: string; port: number }
  readonly name: string
  readonly watchdogMs: number
}

const { server, name, watchdogMs }: Task = JSON.parse(process.argv[2] ?? '')
const holdfast = new Holdfast(standaloneClient(server), { watchdogMs })
const hold = await holdfast.lock(name).acquire()
process.send?.(hold.owner)
setInterval(() => undefined, 60_000)
