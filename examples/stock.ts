/* 10 000 items of stock behind 20 stripes: twenty orders at a time instead of one, and never one item too many. */
import process from 'node:process'
import { Holdfast, type StripeHold } from 'holdfast'
import { Redis } from 'ioredis'

const STRIPES = 20
const redis = new Redis(process.env['HOLDFAST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')
// Two clients of one server behave like two processes.
const [here, there] = [new Holdfast(redis), new Holdfast(redis)]
const stock = `example:stock:${process.pid}`
await redis.hset(
  stock,
  Object.fromEntries(Array.from({ length: STRIPES }, (_, index) => [index, 10_000 / STRIPES])),
)

/** Read and write are two commands: without the lock two orders could both take the last item. */
async function takeFrom({ index }: Pick<StripeHold, 'index'>, wanted: number): Promise<number> {
  const left = Number(await redis.hget(stock, String(index)))
  const taken = Math.min(left, wanted)
  if (taken > 0) await redis.hset(stock, index, left - taken)
  return taken
}

/** Takes items from one stripe, and the rest from the others. Returns less than `quantity` if the stock is sold out. */
async function order(shop: Holdfast, quantity: number): Promise<number> {
  const striped = shop.stripedLock(`${stock}:lock`, STRIPES)
  // First any free stripe: orders hardly ever wait for each other.
  let taken = await striped.withAny((hold) => takeFrom(hold, quantity))
  // That stripe may be empty. Then try all of them, each under its own lock.
  for (let index = 0; taken < quantity && index < STRIPES; index += 1) {
    taken += await striped.stripe(index).withLock(() => takeFrom({ index }, quantity - taken))
  }
  return taken
}

const quantities = Array.from({ length: 550 }, (_, each) => 5 + ((each * 7) % 31))
const demand = quantities.reduce((sum, each) => sum + each, 0)
const sold = await Promise.all(
  quantities.map((quantity, each) => order(each % 2 === 0 ? here : there, quantity)),
)
const left = (await redis.hvals(stock)).map(Number)

console.log(`asked for: ${demand}`)
console.log(`sold: ${sold.reduce((sum, each) => sum + each, 0)}`)
console.log(
  `left: ${left.reduce((sum, each) => sum + each, 0)}, below zero: ${left.some((each) => each < 0)}`,
)

await redis.del(stock)
await Promise.all([here.close(), there.close()])
redis.disconnect()
