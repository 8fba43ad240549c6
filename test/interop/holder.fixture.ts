/* Takes one of everything, says so, and holds it until it is killed. */
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { clientAt } from './client-at.js'

/** Where to take what, by the name of each. */
export interface Task {
  readonly nodes: Array<{ host: string; port: number }>
  readonly watchdogMs: number
  readonly names: Readonly<Record<'lock' | 'fencedLock' | 'semaphore' | 'permits' | 'latch', string>>
}

const { nodes, watchdogMs, names }: Task = JSON.parse(process.argv[2] ?? '')
const holdfast = new Holdfast(clientAt(nodes), { watchdogMs })
await holdfast.lock(names.lock).acquire()
const { fence } = await holdfast.fencedLock(names.fencedLock).acquire()
await holdfast.semaphore(names.semaphore).acquire()
await holdfast.permitExpirableSemaphore(names.permits).acquire()
await holdfast.countDownLatch(names.latch).countDown()
process.send?.(String(fence))
setInterval(() => undefined, 60_000)
