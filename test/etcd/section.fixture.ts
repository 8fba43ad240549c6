/* A process that increases a number under a lock, again and again, and writes a line for each. */
import process from 'node:process'
import { SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import { Holdfast, LockLostError } from '../../src/index.js'
import { EtcdClient } from '../../src/stores/etcd/client/client.js'
import { etcd } from '../../src/stores/etcd/index.js'

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
const about = { command: 'count' }
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

// The client of the number keeps no process alive.
setInterval(() => undefined, 60_000)
say('ready')
for (;;) {
  const hold = await holdfast.lock(name).acquire()
  try {
    // Read, then written: two at once lose an update.
    const { entries } = await client.range({ key: Buffer.from(key) }, about)
    const value = Buffer.from(String(Number(entries[0]?.value ?? 0) + 1))
    hold.assertHeld()
    const put = { key: Buffer.from(key), value, lease: 0n }
    await client.txn({ when: [], ifSo: [{ put }] }, about)
    say('increased')
    await hold.release()
  } catch (error) {
    if (!(error instanceof LockLostError)) throw error
  }
}
