/* Functions that call each other may each take the lock they need: none waits for itself. */
import process from 'node:process'
import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'

const redis = new Redis(process.env['HOLDFAST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')
const holdfast = new Holdfast(redis)
const bank = holdfast.lock('example:bank')
const balances = new Map([
  ['alice', 100],
  ['bob', 0],
])

holdfast.on('acquired', ({ holdCount }) => console.log(`acquired, hold ${holdCount}`))
holdfast.on('released', ({ holdCount }) => console.log(`released, ${holdCount} left`))

/** Correct on its own: it takes the lock, whatever its caller does. */
async function change(name: string, amount: number): Promise<void> {
  await bank.withLock(async () => {
    const balance = balances.get(name) ?? 0
    balances.set(name, balance + amount)
  })
}

/** Correct as a whole: no other section sees the money between the two accounts. */
async function transfer(from: string, to: string, amount: number): Promise<void> {
  await bank.withLock(async () => {
    await change(from, -amount)
    await change(to, amount)
  })
}

await transfer('alice', 'bob', 30)
console.log(`alice ${balances.get('alice')}, bob ${balances.get('bob')}`)

await holdfast.close()
redis.disconnect()
