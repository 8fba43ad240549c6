/* What a lock has to do on any runtime: prints the name of each case that went well. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import process from 'node:process'
import * as imported from 'holdfast'
import { nodeRedis } from 'holdfast/node-redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'

const { ClosedError, Holdfast, LockLostError, LockTimeoutError } = imported
const url = process.env.REDIS_URL
const patterns = {
  ioredis: () => new Redis(url, { lazyConnect: true }),
  redis: () => nodeRedis(createClient({ url })),
}
const pattern = patterns[process.argv[2]]
const clients = []
const client = (options) => {
  const made = new Holdfast(pattern(), options)
  clients.push(made)
  return made
}
const [one, other] = [client(), client()]
// A process ends while its clients are idle.
const busy = setInterval(() => undefined, 1_000)
let names = 0
const fresh = () => {
  names += 1
  return `${process.env.LOCK_NAME}:${process.argv[2]}:${names}`
}
const event = (emitter, name) => new Promise((resolve) => emitter.once(name, resolve))

const cases = {
  async 'import and require give one library'() {
    const required = createRequire(import.meta.url)('holdfast')
    assert.equal(required.Holdfast, Holdfast)
  },
  async 'a section may be entered again by its owner'() {
    const lock = one.lock(fresh())
    assert.equal(await lock.withLock(() => lock.withLock(() => lock.holdCount())), 2)
    assert.equal(await lock.isLocked(), false)
  },
  async 'another client waits until the release'() {
    const name = fresh()
    const hold = await one.lock(name).acquire()
    await assert.rejects(other.lock(name).acquire({ waitMs: 50 }), LockTimeoutError)
    const waiting = event(other, 'waiting')
    const next = other.lock(name).acquire()
    await waiting
    await hold.release()
    await (await next).release()
  },
  async 'the watchdog renews'() {
    const watched = client({ watchdogMs: 900 })
    const hold = await watched.lock(fresh()).acquire()
    // Its first lease has ended by then.
    for (let renewals = 0; renewals < 4; renewals += 1) await event(watched, 'renewed')
    hold.assertHeld()
    assert.equal(await one.lock(hold.name).isLocked(), true)
    await hold.release()
  },
  async 'a lease ends, and its holder is told'() {
    const hold = await one.lock(fresh()).acquire({ leaseMs: 300 })
    await new Promise((resolve) => hold.signal.addEventListener('abort', resolve))
    await assert.rejects(hold.release(), LockLostError)
  },
  async 'a lock that was taken away is told as lost'() {
    const watched = client({ watchdogMs: 900 })
    const hold = await watched.lock(fresh()).acquire()
    const lost = event(watched, 'lost')
    await other.lock(hold.name).forceUnlock()
    assert.equal((await lost).name, hold.name)
    assert.throws(() => hold.assertHeld(), LockLostError)
  },
  async 'a client that is closed ends its waits'() {
    const closing = client()
    const hold = await one.lock(fresh()).acquire()
    const waiting = event(closing, 'waiting')
    const refused = assert.rejects(closing.lock(hold.name).acquire(), ClosedError)
    await waiting
    await closing.close()
    await refused
    await hold.release()
  },
}

for (const [name, run] of Object.entries(cases)) {
  await run()
  console.log(name)
}
clearInterval(busy)
await Promise.all(clients.map((each) => each.close()))
