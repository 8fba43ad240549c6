/* A process that keeps a lock with nobody inside, and exits. */
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'

const [store, server = '', name = ''] = process.argv.slice(2)
const there = store === 'etcd' ? etcd({ hosts: server }) : zookeeper({ servers: server })
const holdfast = new Holdfast(there, { watchdogMs: 240_000, lingerMs: 240_000 })
const lock = holdfast.lock(name)
while (!(await lock.inspect()).lingering) await (await lock.acquire()).release()
process.exit()
