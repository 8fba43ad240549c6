/* A process with several clients, each of which holds a lock: it writes down until when each is sure of it, and each loss. */
import { writeSync } from 'node:fs'
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'
import { now } from '../chaos/history/event.js'

export interface Task {
  readonly store: 'etcd' | 'ZooKeeper'
  readonly servers: readonly string[]
  readonly names: readonly string[]
  readonly watchdogMs: number
}

export type Word =
  | { readonly name: string; readonly until: number }
  | { readonly name: string; readonly lostAt: number }
  | 'ready'

const { store, servers, names, watchdogMs }: Task = JSON.parse(process.argv[2] ?? '')

function say(word: Word): void {
  writeSync(1, `${JSON.stringify(word)}\n`)
}

async function hold(name: string): Promise<void> {
  const hosts = [...servers]
  const holdfast = new Holdfast(store === 'etcd' ? etcd({ hosts }) : zookeeper({ servers: hosts }), {
    watchdogMs,
  })
  const held = await holdfast.lock(name).acquire()
  const look = (): void => {
    if (held.signal.aborted) return
    // The time first: whoever is stopped between the two says no more than is so.
    const at = now()
    const leftMs = held.remainingMs()
    if (leftMs > 0) say({ name, until: at + leftMs })
  }
  holdfast.on('lost', () => say({ name, lostAt: now() }))
  holdfast.on('renewed', look)
  setInterval(look, 10)
  look()
}

for (const name of names) await hold(name)
say('ready')
