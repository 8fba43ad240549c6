import { StoreError } from '../../base/errors/errors.js'
import { type Owner, pairOf } from '../../base/identity/owner.js'
import type { Timer } from '../../base/time/clock.js'
import type { StoreSettings } from '../../port/store.js'
import type { SqlConnection } from '../sql/connection.js'
import type { Attempted, ServerLocks } from './server-locks.js'

/** The longest wait in one request to the server. */
const LONGEST_WAIT_MS = 30_000
/** How long one idle connection stays open. */
const IDLE_MS = 10_000

/** A connection of this client that holds one lock, or waits for it. */
export interface Place {
  readonly name: string
  owner: Owner
  /** 0 while it waits. */
  holds: number
  leaseMs: number
  /** When the server ends the connection if it hears nothing more. */
  endsAt: number
  /** Nobody wants it any more. */
  left: boolean
  connection: SqlConnection | undefined
  /** The number by which the server knows the connection. */
  id: string | undefined
}

/** The places of one client, each with a connection of its own. */
export class Places {
  readonly #places = new Map<string, Place>()
  /** After how long the server ends a connection that is silent. */
  readonly #leases = new WeakMap<SqlConnection, number>()
  readonly #ids = new WeakMap<SqlConnection, string>()
  #idle: { readonly connection: SqlConnection; readonly ending: Timer } | undefined
  #closed = false

  constructor(
    private readonly locks: ServerLocks,
    readonly settings: StoreSettings,
  ) {}

  get now(): number {
    return this.settings.schedule.clock.now()
  }

  find(name: string, owner: Owner): Place | undefined {
    return this.#places.get(pairOf(owner, name))
  }

  /** This client's place whose connection has that number at the server. */
  withId(id: string): Place | undefined {
    return [...this.#places.values()].find((place) => place.id === id)
  }

  /** A new one, with a connection that the server ends after so long without a sign of life. */
  async open(name: string, owner: Owner, leaseMs: number): Promise<Place> {
    const unknown = { endsAt: Infinity, connection: undefined, id: undefined }
    const place: Place = { name, owner, holds: 0, leaseMs, left: false, ...unknown }
    this.#places.set(pairOf(owner, name), place)
    try {
      const connection = await this.#connect()
      place.connection = connection
      place.id = this.#ids.get(connection) ?? (await this.locks.idOf(connection))
      this.#ids.set(connection, place.id)
      if (this.#leases.get(connection) !== leaseMs) await this.lease(place, leaseMs)
      return place
    } catch (error) {
      this.#drop(place)
      throw error
    }
  }

  /** Takes the lock for that place if it is free. */
  async attempt(place: Place): Promise<Attempted> {
    return await this.#orDrop(place, (connection) => this.locks.attempt(connection, place.name, place))
  }

  /** Takes the lock for that place if it is free by then, on the lease clock. Calls `hears` whenever the server has shown that it is there. */
  async wait(place: Place, by: number, hears: () => void): Promise<boolean> {
    return await this.#orDrop(place, async (connection) => {
      while (this.now < by && !place.left) {
        const waitMs = Math.ceil(Math.min(by - this.now, LONGEST_WAIT_MS))
        const taken = await this.locks.wait(connection, place.name, waitMs).catch((error: unknown) => {
          // A connection that breaks under a wait was good until then; one that stays silent for too long was not.
          if (!(error instanceof StoreError && error.reason === 'timeout')) hears()
          throw error
        })
        hears()
        if (taken) return true
      }
      return false
    })
  }

  /** From now on the server ends it after so long without a sign of life. */
  async lease(place: Place, leaseMs: number, withinMs?: number): Promise<void> {
    const sentAt = this.now
    const connection = this.#connectionOf(place)
    await this.locks.lease(connection, { owner: place.owner, leaseMs }, withinMs)
    this.#leases.set(connection, leaseMs)
    place.endsAt = sentAt + leaseMs
  }

  /** Another owner of this process has it from now on. */
  pass(place: Place, owner: Owner): void {
    this.#places.delete(pairOf(place.owner, place.name))
    place.owner = owner
    this.#places.set(pairOf(owner, place.name), place)
  }

  /** Gives the lock back. False: the server had let it go before. */
  async free(place: Place): Promise<boolean> {
    const { connection } = place
    this.#forget(place)
    if (!connection?.open) return false
    try {
      await this.locks.free(connection, place.name)
    } catch (error) {
      connection.destroy()
      // The server itself has ended it.
      if (error instanceof StoreError && error.reason === 'not-ready') return false
      throw error
    }
    this.#keep(connection)
    return true
  }

  /** Ends its wait, and a lock that it may have got meanwhile, on the server too. */
  async leave(place: Place): Promise<void> {
    place.left = true
    const { id } = place
    this.#drop(place)
    if (id === undefined || this.#closed) return
    // A server may find out late that nobody listens any more, and give the lock to the connection until then.
    await this.ask((connection) => this.end(connection, place.name, id))
  }

  /** Has the server end the connection of that number. Settles when the lock is not that one's any more. */
  async end(connection: SqlConnection, name: string, id: string): Promise<void> {
    const { commandTimeoutMs } = this.settings
    const { clock } = this.settings.schedule
    await this.locks.end(connection, id)
    // It ends soon, but not at once.
    const until = this.now + commandTimeoutMs
    while ((await this.locks.holderOf(connection, name))?.id === id && this.now < until)
      // The clock keeps this timer: a client that closes clears its schedule.
      await new Promise<void>((resolve) => clock.startTimer(resolve, 5))
  }

  /** Its connection is of no use to anybody else: it had no lock, and waits for none. */
  discard(place: Place): void {
    const { connection } = place
    this.#forget(place)
    if (connection) this.#keep(connection)
  }

  /** Asks on a connection that has no lock. */
  async ask<Result>(question: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#connect()
    try {
      const answer = await question(connection)
      this.#keep(connection)
      return answer
    } catch (error) {
      connection.destroy()
      throw error
    }
  }

  close(): void {
    this.#closed = true
    this.locks.connector.close()
    this.#takeIdle()?.end()
    // A held lock stays until the server ends its connection: work may go on under it.
    for (const { connection, holds } of this.#places.values()) if (holds === 0) connection?.end()
    this.#places.clear()
  }

  async #connect(): Promise<SqlConnection> {
    const idle = this.#takeIdle()
    if (idle?.open) return idle
    const connection = await this.locks.connector.open()
    connection.onEnd(() => this.#ended(connection))
    return connection
  }

  #takeIdle(): SqlConnection | undefined {
    const idle = this.#idle
    this.#idle = undefined
    idle?.ending.cancel()
    return idle?.connection
  }

  #keep(connection: SqlConnection): void {
    if (this.#closed || this.#idle || !connection.open) {
      connection.end()
      return
    }
    const ending = this.settings.schedule.clock.startTimer(() => {
      this.#idle = undefined
      connection.end()
    }, IDLE_MS)
    this.#idle = { connection, ending }
  }

  /** Gives up the connection after a failure: nobody knows whether it has the lock. */
  async #orDrop<Result>(place: Place, ask: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    try {
      return await ask(this.#connectionOf(place))
    } catch (error) {
      this.#drop(place)
      throw error
    }
  }

  #connectionOf({ name, connection }: Place): SqlConnection {
    if (connection?.open) return connection
    throw new StoreError('unreachable', 'lock', {
      lockName: name,
      transient: true,
      hint: 'The lock ended with its connection: acquire it again.',
    })
  }

  #forget(place: Place): void {
    if (this.find(place.name, place.owner) === place) this.#places.delete(pairOf(place.owner, place.name))
    place.connection = undefined
  }

  #drop(place: Place): void {
    const { connection } = place
    this.#forget(place)
    connection?.destroy()
  }

  #ended(connection: SqlConnection): void {
    const place = [...this.#places.values()].find((each) => each.connection === connection)
    if (!place) return
    const { name, owner, holds, endsAt } = place
    this.#forget(place)
    const reason = this.now >= endsAt ? 'lease-expired' : 'not-in-store'
    if (holds > 0) this.settings.onLost?.({ keyspace: 'lock', name, owner, reason })
  }
}
