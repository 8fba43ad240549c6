import type { Scheduler } from 'fast-check'
import { StoreError } from '../../src/base/errors/errors.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockPort,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  StoreLine,
  Watch,
} from '../../src/port/lock-port.js'
import type { StoreSettings } from '../../src/port/store.js'
import { RowLockPort } from '../../src/stores/rows/lock-port.js'
import { RowClient } from '../../src/stores/rows/row-client.js'
import type { InboxListener, RowSession, Rows } from '../../src/stores/rows/rows.js'
import type { ClientClock } from './base-clock.js'
import type { Server } from './server.js'
import type { Laws } from './world.js'

/** What can become of a command on its way. */
export const fates = [
  'answered',
  'refused for the moment',
  'refused for good',
  'reply lost',
  'never arrives',
  'never answered',
] as const
export type Fate = (typeof fates)[number]

/** How commands and news travel between one client and the server. */
export interface Way {
  readonly scheduler: Scheduler
  readonly clock: ClientClock
  readonly label: string
  readonly laws: Laws
  /** Whether news travel with the replies (RESP3), or on a way of their own. */
  readonly watchesInOrder: boolean
  /** What becomes of the next command. */
  fate(): Fate
  log(line: string): void
}

/** One direction of one connection: each step is a task of its own for the scheduler, and they are taken first in, first out. */
class Lane {
  readonly #steps: Array<() => void> = []

  constructor(private readonly scheduler: Scheduler) {}

  get length(): number {
    return this.#steps.length
  }

  send(label: string, step: () => void): void {
    this.#steps.push(step)
    void this.scheduler.schedule(Promise.resolve(), label).then(() => this.#steps.shift()?.())
  }
}

/** A lock port over a network: each command's arrival and its reply are separate tasks of the scheduler, and either can fail. */
export class SlowPort implements LockPort, Rows {
  readonly watchesInOrder: boolean
  /** What the server does for this client. */
  #served: { readonly port: LockPort; readonly client: RowClient } | undefined
  readonly #requests: Lane
  readonly #replies: Lane
  readonly #subscriptions: Lane
  readonly #news: Lane
  readonly #open = new Map<(error: StoreError) => void, string>()
  /** What is asked of the port, where it is the port that sends commands. */
  #asked: { readonly label: string; readonly forced: boolean } | undefined
  #closed = false

  constructor(
    private readonly server: Server,
    private readonly way: Way,
  ) {
    this.watchesInOrder = way.watchesInOrder
    this.#requests = new Lane(way.scheduler)
    this.#replies = new Lane(way.scheduler)
    this.#subscriptions = way.watchesInOrder ? this.#requests : new Lane(way.scheduler)
    this.#news = way.watchesInOrder ? this.#replies : new Lane(way.scheduler)
  }

  /** The client that uses it has begun. */
  begin(settings: StoreSettings): void {
    const client = new RowClient(this.way.laws.farRows ? this : this.server.rows, settings)
    // Tokens tell tenures apart.
    this.#served = { client, port: new RowLockPort(client, 'f', this.way.laws.line ?? true) }
  }

  get #port(): LockPort {
    if (!this.#served) throw new Error('no client has begun')
    return this.#served.port
  }

  get line(): StoreLine | undefined {
    return this.#port.line
  }

  /** Commands that are sent and neither answered nor given up, and those given up that may still arrive. */
  busyWith(name: string): boolean {
    return this.#requests.length > 0 || [...this.#open.values()].includes(name)
  }

  acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { name, owner, heldBefore, leaseMs } = request
    const label = `acquire ${name} ${short(owner)} ${heldBefore} ${leaseMs}ms`
    const sentAt = this.way.clock.now()
    return this.#ask(name, label, () => this.#port.acquire(request)).then((reply) => {
      // Its call pauses before it asks again, so as not to be in everybody's way.
      const late = this.way.clock.now() - sentAt >= leaseMs * 0.9
      if (late && reply.outcome === 'granted') this.way.log(`${this.way.label} ${label}: came too late`)
      return this.#numbered(name, reply)
    })
  }

  abandon(request: AcquireRequest): Promise<void> {
    const { name, owner, heldBefore } = request
    return this.#ask(name, `abandon ${name} ${short(owner)} ${heldBefore}`, () => this.#port.abandon(request))
  }

  handOver(request: HandOverRequest): Promise<AcquireReply> {
    const { name, from, owner, leaseMs } = request
    const label = `hand over ${name} ${short(from)} to ${short(owner)} ${leaseMs}ms`
    return this.#ask(name, label, () => this.#port.handOver(request)).then((reply) =>
      this.#numbered(name, reply),
    )
  }

  release(request: ReleaseRequest): Promise<ReleaseReply> {
    const { name, owner, heldBefore } = request
    return this.#ask(name, `release ${name} ${short(owner)} ${heldBefore}`, () => this.#port.release(request))
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<Renewed>[] {
    return requests.map((request) =>
      this.#ask(request.name, `renew ${request.name} ${short(request.owner)}`, async () => {
        const [renewed] = this.#port.renew([request])
        return (await renewed) ?? false
      }),
    )
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    if (this.way.laws.farRows) return this.#port.watch(name, onNews)
    let closed = false
    let watch: Watch | undefined
    const told = (news?: News): void =>
      this.#news.send(`news of ${name} for ${this.way.label}`, () =>
        this.way.clock.deliver(() => {
          if (!closed) onNews(news)
        }),
      )
    const begin = async (): Promise<void> => {
      if (!closed) watch = this.#port.watch(name, told)
    }
    const confirmed = this.#command(name, `watch ${name}`, begin, [this.#subscriptions, this.#news])
    confirmed.catch(() => watch?.close())
    return {
      confirmed,
      close: () => {
        closed = true
        watch?.close()
      },
    }
  }

  forceUnlock(name: string): Promise<boolean> {
    return this.#ask(name, `force ${name}`, () => this.#port.forceUnlock(name), true)
  }

  inspect(name: string): Promise<LockState> {
    return this.#ask(name, `inspect ${name}`, () => this.#port.inspect(name))
  }

  countWatchers(name: string): Promise<number | undefined> {
    return this.#port.countWatchers(name)
  }

  list(pattern: string): AsyncIterable<LockState> {
    return this.#port.list(pattern)
  }

  close(): void {
    this.#closed = true
    void this.#served?.client.close()
    for (const reject of [...this.#open.keys()])
      reject(new StoreError('unreachable', 'a command on a closed connection', { transient: true }))
  }

  /** The rows, as the client reaches them. */
  openRows(settings: StoreSettings, listener: InboxListener): RowSession {
    const { way, server } = this
    const rows = server.rows.openRows(settings, {
      message: (message) =>
        this.#news.send(`message about ${message.name} for ${way.label}`, () =>
          way.clock.deliver(() => listener.message(message)),
        ),
      missed: () => listener.missed(),
    })
    let open = false
    return {
      inbox: {
        get open() {
          return open
        },
        opened: async () => {
          if (open) return
          const lanes = [this.#subscriptions, this.#news] as const
          await this.#command('', 'watch', async () => rows.inbox?.opened(), lanes)
          open = true
        },
        doubt: () => undefined,
      },
      change: (shape, name, change) => {
        const { label = `change ${name}`, forced = false } = this.#asked ?? {}
        return this.#command(name, label, () =>
          server.freeing(name, () => rows.change(shape, name, change), forced),
        )
      },
      names: (keyspace, pattern) => rows.names(keyspace, pattern),
      close: () => rows.close(),
    }
  }

  /** Has the port do something: across the network, or with commands of its own. */
  #ask<Reply>(name: string, label: string, apply: () => Promise<Reply>, forced = false): Promise<Reply> {
    if (!this.way.laws.farRows)
      return this.#command(name, label, () => this.server.freeing(name, apply, forced))
    this.#asked = { label, forced }
    try {
      return apply()
    } finally {
      this.#asked = undefined
    }
  }

  /** With the number of the tenure for a token. */
  #numbered(name: string, reply: AcquireReply): AcquireReply {
    if (reply.outcome !== 'granted' || reply.fence === undefined) return reply
    return { ...reply, fence: this.server.serialOf(name, reply.fence) }
  }

  #command<Reply>(
    name: string,
    label: string,
    apply: () => Promise<Reply>,
    [requests, replies]: readonly [Lane, Lane] = [this.#requests, this.#replies],
  ): Promise<Reply> {
    const { way } = this
    const line = `${way.label} ${label}`
    if (this.#closed) return Promise.reject(new StoreError('unreachable', label, { transient: true }))
    let fate = way.fate()
    // Nothing can be done about a release that is refused for good: its caller is told, and the lease ends.
    if (fate === 'refused for good' && !/^(acquire|watch)/.test(label)) fate = 'refused for the moment'
    way.log(`${line}: sent${fate === 'answered' ? '' : `, to be ${fate}`}`)
    return new Promise((resolve, reject) => {
      const conclude = (end: () => void): void => {
        if (!this.#open.delete(giveUp)) return
        timer.cancel()
        end()
      }
      const giveUp = (error: StoreError): void => conclude(() => reject(error))
      this.#open.set(giveUp, name)
      const timer = way.clock.startTimer(() => {
        way.log(`${line}: timed out`)
        giveUp(new StoreError('timeout', label, { transient: true }))
      }, way.laws.options.commandTimeoutMs)
      const answer = (text: string, end: () => void): void =>
        replies.send(`${line}: ${text}`, () => {
          way.log(`${line}: ${text}`)
          way.clock.deliver(() => conclude(end))
        })
      if (fate === 'never arrives') return
      requests.send(`${line} arrives`, () => {
        way.log(`${line}: arrives`)
        if (fate === 'refused for the moment')
          return answer(fate, () => reject(new StoreError('not-ready', label, { transient: true })))
        if (fate === 'refused for good')
          return answer(fate, () => reject(new StoreError('out-of-memory', label, { transient: false })))
        const applied = apply()
        if (fate === 'reply lost')
          answer(fate, () => reject(new StoreError('unreachable', label, { transient: true })))
        else if (fate !== 'never answered')
          void applied.then((reply) => answer(`answers ${shown(reply)}`, () => resolve(reply)))
      })
    })
  }
}

/** Owners without their random half. */
export function short(owner: string): string {
  return owner.slice(owner.lastIndexOf(':') + 1)
}

function shown(reply: unknown): string {
  if (typeof reply === 'object' && reply !== null && 'outcome' in reply) return String(reply.outcome)
  return String(reply)
}
