import { type Hold, Holdfast, LockTimeoutError } from 'holdfast'
import { etcd } from 'holdfast/etcd'
import { LockClient } from 'holdfast/lock'
import { memcached } from 'holdfast/memcached'
import { MemoryStore } from 'holdfast/memory'
import { mysql } from 'holdfast/mysql'
import { nodeRedis } from 'holdfast/node-redis'
import { postgres } from 'holdfast/postgres'
import { redis } from 'holdfast/redis'
import { sqlite } from 'holdfast/sqlite'
import type { Store } from 'holdfast/store'
import { transactionLock } from 'holdfast/transactions'
import { zookeeper } from 'holdfast/zookeeper'

const store: Store = new MemoryStore()

async function main(): Promise<void> {
  const holdfast = new Holdfast(store)
  const lock = holdfast.lock('invoice:42')
  const nested: number = await lock.withLock((hold: Hold) =>
    hold.run(() => lock.withLock(() => lock.holdCount())),
  )
  const hold = await lock.acquire()
  const refused = await lock.acquire({ waitMs: 20 }).catch((why: unknown) => why instanceof LockTimeoutError)
  await hold.release()
  const others = [
    LockClient,
    nodeRedis,
    etcd,
    memcached,
    mysql,
    postgres,
    redis,
    sqlite,
    transactionLock,
    zookeeper,
  ]
  const named = others.filter((each) => typeof each === 'function').length
  console.log(JSON.stringify({ nested, refused, named }))
  await holdfast.close()
}

void main()
