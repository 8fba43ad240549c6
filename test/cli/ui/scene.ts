/** Locks with life in them, for the pictures of the page and for those who try it: held, waited for, shared, in a deadlock, by the thousand. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Holdfast } from '../../../src/index.js'
import { plainRing } from '../../deadlock/ring.js'
import { standaloneClient } from '../../setup/clients.js'

interface Where {
  readonly host: string
  readonly port: number
}

/** Locks in one server, which end with {@link end}. */
export class Scene {
  readonly #ends: Array<() => unknown> = []

  constructor(private readonly server: Where) {}

  client(label: string): Holdfast {
    const client = standaloneClient({ host: this.server.host, port: this.server.port })
    const holdfast = new Holdfast(client, { label })
    this.#ends.push(async () => {
      await holdfast.close()
      client.disconnect()
    })
    return holdfast
  }

  /** So many that are held, of which nobody asks for any. */
  async crowd(count: number): Promise<void> {
    const client = standaloneClient({ host: this.server.host, port: this.server.port })
    const names = ['order', 'invoice', 'customer', 'stock:item', 'upload', 'thumbnail', 'mail:outbox']
    const script = `
      local names, time = cjson.decode(ARGV[3]), tonumber(redis.call('TIME')[1])
      for i = ARGV[1], ARGV[2] do
        local name = names[i % #names + 1] .. ':' .. (10000 + (i * 7919) % 89999)
        local host = ({'web', 'worker', 'batch'})[i % 3 + 1] .. '-' .. (i % 9 + 1)
        redis.call('HSET', name, string.format('%08x-0000-4000-8000-000000000000~%s:%d', i, host, i % 40), 1)
        redis.call('HSET', name, 'since', (time - (i * 37) % 5400) .. ' 0')
        redis.call('PEXPIRE', name, 600000 + (i * 7919) % 300000)
      end`
    for (let from = 0; from < count; from += 1_000) {
      const to = Math.min(count, from + 1_000) - 1
      await client.call('EVAL', script, '0', from, to, JSON.stringify(names))
    }
    client.disconnect()
  }

  /** Three locks, one of which is waited for. */
  async three(): Promise<void> {
    await this.client('web-1').lock('cron:nightly-report').acquire()
    await this.client('worker-1').readWriteLock('catalogue').readLock().acquire()
    await this.client('worker-2').fencedLock('invoice:42').acquire()
    await this.line('invoice:42', ['web-2'])
  }

  /** Two or three clients that hold, and others that wait. */
  async everyday(): Promise<void> {
    const [one, two, three, four] = ['web-1', 'web-2', 'worker-1', 'worker-2'].map((each) =>
      this.client(each),
    )
    if (!one || !two || !three || !four) throw new Error('there are four clients')
    await one.lock('cron:nightly-report').acquire()
    await two.readWriteLock('catalogue').readLock().acquire({ leaseMs: 40_000 })
    await three.readWriteLock('catalogue').readLock().acquire({ leaseMs: 60_000 })
    await four.semaphore('export-slots').trySetPermits(4)
    await four.semaphore('export-slots').acquire({ permits: 3, leaseMs: 90_000 })
    await three.fairLock('stock:item:7004').acquire()
    await one.countDownLatch('deploy:steps').trySetCount(2)
    two
      .countDownLatch('deploy:steps')
      .await()
      .catch(() => undefined)
    await one.fencedLock('invoice:42').acquire()
    await this.line('invoice:42', ['web-2', 'worker-1', 'worker-2'])
  }

  /** Those who wait for a fenced lock, in this order. */
  async line(name: string, labels: readonly string[]): Promise<void> {
    for (const label of labels) {
      const client = this.client(label)
      const waiting = new Promise((resolve) => client.once('waiting', resolve))
      client
        .fencedLock(name)
        .acquire()
        .catch(() => undefined)
      await waiting
    }
  }

  /** Three that wait for each other. */
  async deadlock(): Promise<void> {
    const clients = ['billing-1', 'billing-2', 'refunds-1'].map((label) => this.client(label))
    await plainRing(clients, 'account')
  }

  /** A lock whose holder is slow, and two that wait for it while they hold others, for which others wait. */
  async jam(): Promise<void> {
    await this.client('importer-1').lock('catalogue:index').acquire()
    for (const [label, own, wanted] of [
      ['web-6', 'cart:881', 'catalogue:index'],
      ['worker-7', 'price-list', 'catalogue:index'],
      ['web-8', 'order:10990', 'price-list'],
      ['web-9', 'order:10991', 'price-list'],
    ] as const) {
      const client = this.client(label)
      const waiting = new Promise((resolve) => client.once('waiting', resolve))
      client
        .lock(own)
        .withLock(() => client.lock(wanted).withLock(() => undefined))
        .catch(() => undefined)
      await waiting
    }
  }

  /** Clients that take one lock after the other, and wait for each other's, until the end. */
  bustle(labels: readonly string[], names: readonly string[]): void {
    const over = new AbortController()
    this.#ends.push(() => over.abort())
    let turn = 7
    const next = (below: number): number => {
      turn = (turn * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((turn / 2_147_483_648) * below)
    }
    const work = async (label: string): Promise<void> => {
      const client = this.client(label)
      while (!over.signal.aborted) {
        await using _ = await client.lock(names[next(names.length)] ?? 'a').acquire()
        // What it does there.
        await sleep(1_500 + next(5_000), undefined, { signal: over.signal })
      }
    }
    for (const label of labels) work(label).catch(() => undefined)
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end()
  }
}
