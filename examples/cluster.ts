/* A Cluster needs no other code. Sharded pub/sub wakes waiters, on the node that keeps the lock. */
import process from 'node:process'
import { Holdfast } from 'holdfast'
import { Cluster } from 'ioredis'

// "host:port,host:port,…": any nodes to start from.
const nodes = (process.env['HOLDFAST_CLUSTER'] ?? '127.0.0.1:7000').split(',').map((node) => {
  const [host = '127.0.0.1', port] = node.split(':')
  return { host, port: Number(port) }
})
const cluster = new Cluster(nodes)
const holdfast = new Holdfast(cluster)

// Each name has its slot; nested locks need not be on the same node.
await holdfast.lock('example:cluster:orders').withLock(async () => {
  await holdfast.lock('example:cluster:stock').withLock(async () => {
    const held: string[] = []
    for await (const { name } of holdfast.list('example:cluster:*')) held.push(name)
    console.log(`held: ${held.sort().join(', ')}`)
  })
})
console.log(`still locked: ${await holdfast.lock('example:cluster:orders').isLocked()}`)

await holdfast.close()
cluster.disconnect()
