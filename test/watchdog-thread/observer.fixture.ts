/** Looks at a lock's time to live, again and again, from a process of its own. Ends with its input and tells what it saw. */
import process from 'node:process'
import { Redis } from 'ioredis'

const [host = '', port = '', name = ''] = process.argv.slice(2)
const redis = new Redis(Number(port), host)
let looks = 0
let leastMs = Number.POSITIVE_INFINITY
let ended = false
process.stdin.resume().on('end', () => {
  ended = true
})

while (!ended) {
  leastMs = Math.min(leastMs, await redis.pttl(name))
  looks += 1
  if (looks === 1) process.stdout.write('looking\n')
  await new Promise((resolve) => setTimeout(resolve, 2))
}
process.stdout.write(`${JSON.stringify({ looks, leastMs })}\n`)
redis.disconnect()
