/**
 * One process of two that want one lock: `node take-over.mjs <order as JSON>`. It says that it asks, and that it has the lock; then it waits
 * until it is killed.
 */
import process from 'node:process'
import { Holdfast } from '../dist/index.js'
import type { TakeOverOrder } from './drivers/programs.js'
import { storeAt } from './libraries/stores/holdfast.js'

async function take({ name, watchdogMs, ...place }: TakeOverOrder): Promise<void> {
  const holdfast = new Holdfast(await storeAt(place), { watchdogMs })
  // So that connections and sessions are there.
  await (await holdfast.lock(`${name}:${process.pid}`).acquire()).release()
  const acquired = holdfast.lock(name).acquire()
  console.log('asks')
  await acquired
  console.log('holds')
}

await take(JSON.parse(process.argv[2] ?? '{}'))
process.stdin.resume()
