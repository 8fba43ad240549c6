/* A process that increases a number under a lock, again and again, and writes a line for each. */
import process from 'node:process'
import { SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import { Holdfast, LockLostError } from '../../src/index.js'
import { EtcdClient } from '../../src/stores/etcd/client/client.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { Counter } from './counter.js'

export interface Task {
  readonly urls: readonly string[]
  readonly name: string
  readonly key: string
  readonly watchdogMs: number
}

const { urls, name, key, watchdogMs }: Task = JSON.parse(process.argv[2] ?? '')
const holdfast = new Holdfast(etcd({ hosts: urls, prefix: '' }), { watchdogMs, storeTimeoutMs: 60_000 })
const schedule = new Schedule(new SystemClock(), (error) => {
  throw error
})
const client = new EtcdClient({ hosts: urls, tls: undefined, credentials: undefined }, schedule, 3_000)
const counter = new Counter(client, key)
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

// The client of the counter keeps no process alive.
setInterval(() => undefined, 60_000)
say('ready')
for (;;) {
  const hold = await holdfast.lock(name).acquire()
  try {
    await counter.increase(() => hold.assertHeld())
    say('increased')
    await hold.release()
  } catch (error) {
    if (!(error instanceof LockLostError)) throw error
  }
}
