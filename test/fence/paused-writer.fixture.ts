/* Takes the lock, writes, is paused by its parent past its lease, and writes again without looking at a clock: the late writer. */
import { once } from 'node:events'
import process from 'node:process'
import { StaleFenceError } from '../../src/base/errors/stale-fence-error.js'
import { Holdfast } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'
import { type Place, resourceAt } from './resource.js'

interface Task {
  readonly server: { host: string; port: number }
  readonly name: string
  readonly leaseMs: number
  readonly place: Place
}

// A port without the core above it keeps no process alive.
process.channel?.ref()
const task: Task = JSON.parse(process.argv[2] ?? '')
const holdfast = new Holdfast(standaloneClient(task.server))
const resource = resourceAt(task.place)
const hold = await holdfast.fencedLock(task.name).acquire({ leaseMs: task.leaseMs })
await resource.write('early', hold.fence)
const woken = once(process, 'message')
process.send?.({ pid: process.pid, fence: String(hold.fence) })
await woken
try {
  await resource.write('late', hold.fence)
  process.send?.({ written: true })
} catch (error) {
  const stale = error instanceof StaleFenceError
  process.send?.({ written: false, stale, code: stale ? error.code : undefined, error: String(error) })
}
await resource.end()
await holdfast.close()
process.disconnect()
