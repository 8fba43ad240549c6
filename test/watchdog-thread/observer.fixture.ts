/** Looks at a lock's time to live, again and again, from a process of its own. When it is told to stop, it tells what it saw. */
import process from 'node:process'
import { Redis } from 'ioredis'

const { host, port, name } = JSON.parse(process.argv[2] ?? '')
const redis = new Redis(port, host)
let looks = 0
let leastMs = Number.POSITIVE_INFINITY
let stopped = false
process.once('message', () => {
  stopped = true
})

while (!stopped) {
  leastMs = Math.min(leastMs, await redis.pttl(name))
  looks += 1
  if (looks === 1) process.send?.('looking')
  await new Promise((resolve) => setTimeout(resolve, 2))
}
process.send?.({ looks, leastMs })
redis.disconnect()
