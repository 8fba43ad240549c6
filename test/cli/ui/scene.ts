/** Locks with life in them, for the pictures of the page and for those who try it: held, waited for, shared, in a deadlock, by the thousand. */
import { Holdfast, type StandaloneClient } from '../../../src/index.js'
import { plainRing } from '../../deadlock/ring.js'
import { standaloneClient } from '../../setup/clients.js'
import { later } from '../../setup/later.js'

/** Locks in one server, which end with {@link end}. */
export class Scene {
  readonly #ends: Array<() => unknown> = []

  constructor(private readonly server: { readonly host: string; readonly port: number }) {}

  client(label: string): Holdfast {
    const holdfast = new Holdfast(this.#connect(), { label })
    this.#ends.push(() => holdfast.close())
    return holdfast
  }

  async call(command: string, ...args: Array<string | number>): Promise<void> {
    await this.#connect().call(command, ...args)
  }

  #connect(): StandaloneClient {
    const client = standaloneClient({ host: this.server.host, port: this.server.port })
    this.#ends.push(() => client.disconnect())
    return client
  }

  /** Has somebody wait for a lock, until the end or until it is had. */
  async waits(client: Holdfast, ask: (client: Holdfast) => Promise<unknown>): Promise<void> {
    const waiting = new Promise((resolve) => client.once('waiting', resolve))
    later(ask(client))
    await waiting
  }

  /** So many that are held, of which nobody asks for any. */
  async crowd(count: number): Promise<void> {
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
      await this.call('EVAL', script, '0', from, Math.min(count, from + 1_000) - 1, JSON.stringify(names))
    }
  }

  /** Two or three clients that hold, and others that wait. */
  async everyday(): Promise<void> {
    const [one, two] = [this.client('web-1'), this.client('web-2')]
    const [three, four] = [this.client('worker-1'), this.client('worker-2')]
    await one.lock('cron:nightly-report').acquire()
    await two.readWriteLock('catalogue').readLock().acquire({ leaseMs: 40_000 })
    await three.readWriteLock('catalogue').readLock().acquire({ leaseMs: 60_000 })
    await four.semaphore('export-slots').trySetPermits(4)
    await four.semaphore('export-slots').acquire({ permits: 3, leaseMs: 90_000 })
    await three.fairLock('stock:item:7004').acquire()
    await one.countDownLatch('deploy:steps').trySetCount(2)
    later(two.countDownLatch('deploy:steps').await())
    await one.fencedLock('invoice:42').acquire()
    await this.line('invoice:42', ['web-2', 'worker-1', 'worker-2'])
  }

  /** Those who wait for a fenced lock, in this order. */
  async line(name: string, labels: readonly string[]): Promise<void> {
    for (const label of labels)
      await this.waits(this.client(label), (each) => each.fencedLock(name).acquire())
  }

  /** Three that wait for each other. */
  async deadlock(): Promise<void> {
    const clients = ['billing-1', 'billing-2', 'refunds-1'].map((label) => this.client(label))
    await plainRing(clients, 'account')
  }

  /** Holds the one and waits for the other. */
  async holdsUp(holder: Holdfast, own: string, wanted: string): Promise<void> {
    await this.waits(holder, (it) => it.lock(own).withLock(() => it.lock(wanted).withLock(() => undefined)))
  }

  /** A lock whose holder is slow, and two that wait for it while they hold others, for which others wait. */
  async jam(): Promise<void> {
    await this.client('importer-1').lock('catalogue:index').acquire()
    for (const [label, own, wanted] of [
      ['web-6', 'cart:881', 'catalogue:index'],
      ['worker-7', 'price-list', 'catalogue:index'],
      ['web-8', 'order:10990', 'price-list'],
      ['web-9', 'order:10991', 'price-list'],
    ] as const)
      await this.holdsUp(this.client(label), own, wanted)
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end()
  }
}
