/** A process with a Holdfast in it: prints what it did, one word a line, and ends when nothing keeps it alive. */
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { Holdfast, type RedisClient } from '../../src/index.js'
import { clientLibraries, clusterClient, sentinelClient, standaloneClient } from '../setup/clients.js'

const [scenario = '', port, libraryName, name = '', what = ''] = process.argv.slice(2)
const library = clientLibraries.find((each) => each === libraryName)
const say = (word: string): boolean => process.stdout.write(`${word}\n`)
const client = (): ReturnType<typeof standaloneClient> =>
  standaloneClient({ host: '127.0.0.1', port: Number(port) }, library)

const holdfast = new Holdfast(client(), { watchdogMs: 3_000, commandTimeoutMs: 500 })
const lock = holdfast.lock(name)

const latch = holdfast.countDownLatch(name)
const semaphore = holdfast.semaphore(name)
const permits = holdfast.permitExpirableSemaphore(name)

/** Changes of a number that is no hold. */
const changes: Readonly<Record<string, () => Promise<unknown>>> = {
  trySetCount: () => latch.trySetCount(1),
  countDown: () => latch.countDown(),
  delete: () => latch.delete(),
  trySetPermits: () => semaphore.trySetPermits(1),
  addPermits: () => semaphore.addPermits(1),
  reducePermits: () => semaphore.reducePermits(1),
  drainPermits: () => semaphore.drainPermits(),
  release: () => semaphore.release(),
  releaseIfExists: () => semaphore.releaseIfExists(),
  setPermits: () => permits.setPermits(1),
  updateLeaseTime: () => permits.updateLeaseTime('0'.repeat(32), 1_000),
  tryRelease: () => permits.tryRelease('0'.repeat(32)),
}

/** Takes the lock with another caller behind it, so that every connection and subscription comes into use. */
async function contend(): Promise<void> {
  const other = new Holdfast(client())
  const hold = await other.lock(name).acquire()
  holdfast.once('waiting', () => void hold.release())
  await (await lock.acquire()).release()
  if (scenario === 'closed') await other.close()
}

/** What an application may have set for its own client, and Holdfast must not live by. */
const patterns: Readonly<Record<string, () => RedisClient>> = {
  sentinel: () => {
    const sentinels = [{ host: '127.0.0.1', port: Number(port) }]
    return sentinelClient({ sentinels, name: 'mymaster' }, library, { failoverDetector: true })
  },
  cluster: () =>
    clusterClient([{ host: '127.0.0.1', port: Number(port) }], { slotsRefreshInterval: 100 }, library),
}

const scenarios: Readonly<Record<string, () => Promise<void>>> = {
  idle: async () => {
    await contend()
    say('released')
  },
  group: async () => {
    const pattern = patterns[what]
    if (!pattern) throw new Error(`no such group: ${what}`)
    await (await new Holdfast(pattern()).lock(name).acquire()).release()
    say('released')
  },
  holding: async () => {
    await lock.acquire()
    say('held')
  },
  pending: async () => {
    holdfast.once('waiting', () => say('waiting'))
    await lock.acquire()
    say('acquired')
  },
  change: async () => {
    const ask = changes[what]
    if (!ask) throw new Error(`no such change: ${what}`)
    say(`answer:${await ask()}`)
  },
  draining: async () => {
    process.once('SIGTERM', () => void holdfast.close({ drainMs: 10_000 }))
    const section = lock.withLock(async () => {
      say('held')
      await new Promise((resolve) => process.once('SIGTERM', resolve))
      await lock.acquire().then(
        (hold) => hold.release(),
        () => say('refused'),
      )
      await pause(300)
    })
    // Nothing else keeps it alive: not this timer, and nobody awaits the closing.
    const heartbeat = setInterval(() => undefined, 100)
    await section
    clearInterval(heartbeat)
    say('section-ended')
  },
  dropped: async () => {
    const told = new Holdfast(client(), { diagnostics: true, watchdogMs: 3_000 })
    const names: string[] = []
    told.on('warning', (warning) => {
      if (warning.code === 'DROPPED_HOLD' && warning.holderStack?.includes('takeAndDrop'))
        names.push(warning.name)
    })
    const kept = await told.lock(`${name}:kept`).acquire()
    await takeAndDrop(told)
    for (let round = 0; names.length < 4 && round < 1_000; round += 1) {
      globalThis.gc?.()
      await pause(5)
    }
    say(names.sort().join())
    await kept.release()
    await told.close()
  },
  'timed-out': async () => {
    await lock.acquire({ waitMs: 200 }).catch(() => say('timed-out'))
  },
  unreachable: async () => {
    await lock.tryAcquire().catch(() => say('unreachable'))
    await holdfast.close()
    say('closed')
  },
  closed: async () => {
    await contend()
    const hold = await lock.acquire()
    void lock.acquire().catch(() => say('wait-ended'))
    await pause(50)
    await holdfast.close()
    say(hold.signal.aborted ? 'aborted' : 'not-aborted')
  },
}

await scenarios[scenario]?.()

/** Holds that nobody can release any more; one that was released, one that was kept to the end, and one that ends by itself. */
async function takeAndDrop(told: Holdfast): Promise<void> {
  await Promise.all([
    told.lock(`${name}:a`).acquire(),
    told.multiLock([told.lock(`${name}:b`), told.lock(`${name}:c`)]).acquire(),
    told.stripedLock(`${name}:d`, 1).acquireAny(),
  ])
  await told.lock(`${name}:leased`).acquire({ leaseMs: 5_000 })
  await (await told.lock(`${name}:released`).acquire()).release()
  await told.lock(`${name}:section`).withLock(() => undefined)
}
