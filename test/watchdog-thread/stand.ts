import { once } from 'node:events'
import process from 'node:process'
import type { Worker } from 'node:worker_threads'
import { leaseDeadline } from '../../src/core/lease/lease.js'
import type { Owner } from '../../src/identity/owner.js'
import type { RedisClient } from '../../src/index.js'
import type { LeaseThreadListener } from '../../src/ports/lease-thread.js'
import type { LockPort } from '../../src/ports/lock-port.js'
import type { StoreSession } from '../../src/ports/store.js'
import { RedisStore } from '../../src/redis/store.js'
import { ThreadRenewals } from '../../src/redis/watchdog-thread/thread-renewals.js'
import type { WatchedLease } from '../../src/redis/watchdog-thread/watched-lease.js'
import { SystemClock } from '../../src/time/clock.js'
import { Schedule } from '../../src/time/schedule.js'
import { eventually } from '../setup/eventually.js'

/** Long enough that a thread which gets the processor late on a busy machine renews in time. */
export const LEASE_MS = 2_100
/** Longer than a lease by so much that it takes more than one renewal to come through it. */
export const BLOCKED_MS = 1.5 * LEASE_MS

let stands = 0

/** A main thread with locks that a thread of its own renews, without the core. */
export class Stand {
  readonly heard: string[] = []
  readonly causes: unknown[] = []
  readonly schedule = new Schedule(new SystemClock(), (error) => this.causes.push(error))
  readonly renewals: ThreadRenewals
  readonly name: string
  readonly #session: StoreSession
  readonly #leaseMs: number
  readonly #listener: LeaseThreadListener = {
    renewed: () => this.#hear('renewed'),
    failed: (_, cause) => this.#hear('failed', cause),
    lost: () => this.#hear('lost'),
    broken: () => this.#hear('broken'),
  }
  #worker: Worker | undefined

  constructor(
    private readonly client: RedisClient,
    { maxBlockedMs = 10 * LEASE_MS, leaseMs = LEASE_MS } = {},
  ) {
    stands += 1
    this.#leaseMs = leaseMs
    this.name = `thread:${process.pid}:${Date.now()}:${stands}`
    const settings = { leaseMs, commandTimeoutMs: leaseMs, maxBlockedMs }
    this.#session = new RedisStore(client).open({
      schedule: this.schedule,
      clientId: 'stand',
      watchdogLeaseMs: leaseMs,
      quarantineMs: 0,
      fenceRetentionMs: undefined,
      commandTimeoutMs: settings.commandTimeoutMs,
      onError: (error) => this.causes.push(error),
    })
    this.renewals = new ThreadRenewals(client, settings, this.schedule, (error) => this.#hear('error', error))
  }

  get port(): LockPort {
    return this.#session.lock
  }

  get now(): number {
    return this.schedule.clock.now()
  }

  #hear(word: string, cause?: unknown): void {
    this.heard.push(word)
    if (cause !== undefined) this.causes.push(cause)
  }

  /** Starts the thread and remembers it; connects, so that no lease runs meanwhile. */
  async start(): Promise<void> {
    await this.port.inspect(this.name)
    const born = once(process, 'worker')
    await this.renewals.start()
    const [worker] = await born
    this.#worker = worker
  }

  /** What an unforeseen error or a lack of memory does to the thread. */
  async kill(): Promise<void> {
    await this.#worker?.terminate()
  }

  get threadId(): number | undefined {
    return this.#worker?.threadId
  }

  /** Takes a lock and has it watched, as the core does. */
  async hold(
    name = this.name,
    owner: Owner = `stand-${process.pid}:${stands}`,
    renewUntil = Number.POSITIVE_INFINITY,
  ): Promise<WatchedLease> {
    const beforeSend = this.now
    const leaseMs = this.#leaseMs
    const { outcome } = await this.port.acquire({ name, owner, heldBefore: 0, leaseMs })
    if (outcome !== 'granted') throw new Error(`the lock was ${outcome}`)
    return this.renewals.add(name, owner, leaseDeadline(beforeSend, leaseMs), renewUntil, this.#listener)
  }

  /** Renews from the main thread, as the core does without a thread, until the condition holds. */
  async renewHereUntil(lease: WatchedLease, condition: () => boolean): Promise<void> {
    const { name, owner } = lease
    await eventually(async () => {
      const beforeSend = this.now
      const [renewed] = await Promise.all(this.port.renew([{ name, owner, leaseMs: LEASE_MS }]))
      if (!renewed) throw new Error(`${name} was lost`)
      lease.extend(leaseDeadline(beforeSend, LEASE_MS))
      return condition()
    })
  }

  /** Waits for what is heard next, so that the thread is known to be connected. */
  async hears(word: string): Promise<void> {
    const before = this.heard.length
    await eventually(() => this.heard.indexOf(word, before) >= 0)
  }

  async end(): Promise<void> {
    await this.renewals.close()
    await this.#session.close()
    this.schedule.clear()
    this.client.disconnect()
  }
}
