/* A Sentinel group: Holdfast follows a failover as your client does. */
import process from 'node:process'
import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'

// "host:port,host:port,…": the sentinels, not the servers they watch.
const sentinels = (process.env['HOLDFAST_SENTINELS'] ?? '127.0.0.1:26379').split(',').map((sentinel) => {
  const [host = '127.0.0.1', port] = sentinel.split(':')
  return { host, port: Number(port) }
})
const redis = new Redis({ sentinels, name: process.env['HOLDFAST_SENTINEL_NAME'] ?? 'mymaster' })
const holdfast = new Holdfast(redis)

// A failover may lose the newest locks. The holder then learns of it here.
holdfast.on('lost', ({ name, reason }) => console.log(`lost ${name}: ${reason}`))

await holdfast.lock('example:sentinel').withLock(async (hold) => {
  console.log(`held: ${hold.name}`)
  hold.assertHeld()
})
console.log(`still locked: ${await holdfast.lock('example:sentinel').isLocked()}`)

await holdfast.close()
redis.disconnect()
