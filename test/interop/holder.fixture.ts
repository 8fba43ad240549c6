/* Takes one of everything, says so, and holds it until it is killed. */
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { WATCHDOG_MS } from './watchdog-time.js'

/** Where to take what, by the name of each. */
export interface Task {
  readonly nodes: Array<{ host: string; port: number }>
  readonly lock: string
  readonly fencedLock: string
  readonly semaphore: string
  readonly permits: string
  readonly latch: string
}

const task: Task = JSON.parse(process.argv[2] ?? '')
const [node, ...others] = task.nodes
if (!node) throw new Error('no node was named')
const client = others.length > 0 ? clusterClient(task.nodes) : standaloneClient({ ...node })
const holdfast = new Holdfast(client, { watchdogMs: WATCHDOG_MS })
await holdfast.lock(task.lock).acquire()
const { fence } = await holdfast.fencedLock(task.fencedLock).acquire()
await holdfast.semaphore(task.semaphore).acquire()
await holdfast.permitExpirableSemaphore(task.permits).acquire()
await holdfast.countDownLatch(task.latch).countDown()
process.send?.(String(fence))
setInterval(() => undefined, 60_000)
