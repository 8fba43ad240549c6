/* A machine whose clock is wrong: fires the job when its own clock shows the time it is told, and says whether it ran. */
import { once } from 'node:events'
import process from 'node:process'
import { machineTime } from '../../src/base/time/machine-time.js'
import { Holdfast } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'

export interface Task {
  readonly server: { host: string; port: number }
  readonly name: string
  readonly skewMs: number
  readonly atLeastMs: number
}

const task: Task = JSON.parse(process.argv[2] ?? '')
const rightNow = Date.now
Date.now = () => rightNow() + task.skewMs
machineTime.wallMs = Date.now
const holdfast = new Holdfast(standaloneClient(task.server))
// Asked once, so that no connection has still to be made when the time has come.
await holdfast.lock(task.name).isLocked()
const told = once(process, 'message')
process.send?.({ ready: true })
/** By the clock of the machines that are right. */
const [firing]: Array<{ readonly at: number }> = await told
await new Promise((resolve) => setTimeout(resolve, (firing?.at ?? 0) - Date.now()))
const terms = { atLeastMs: task.atLeastMs, atMostMs: 60_000 }
const { ran } = await holdfast.job(task.name, terms, () => undefined)
process.send?.({ ran })
await holdfast.close()
process.disconnect()
