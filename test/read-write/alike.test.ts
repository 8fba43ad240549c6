/** Both stores answer the same to whatever is asked, as far as time plays no part in it. */
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { runsOr } from '../properties/runs.js'
import { ReadWriteClient } from '../setup/port-client.js'
import { lockName, MemoryPlace, type PortPlace, RedisPlace } from '../setup/port-place.js'
import { CLIENTS, programs, type Step } from './program.js'

const places = [new MemoryPlace(ReadWriteClient), RedisPlace.standalone(ReadWriteClient)]
const LONG_MS = 60_000

afterEach(() => Promise.all(places.map((place) => place.close())))

/** A program's run in one place, with its owners called by their numbers. */
class Run {
  readonly #clients: ReadWriteClient[]
  readonly #name = lockName()

  constructor(place: PortPlace<ReadWriteClient>) {
    this.#clients = Array.from({ length: CLIENTS }, () => place.client({ firstLeaseMs: LONG_MS }))
  }

  /** Whoever hears nothing is let in by nobody. */
  async listen(): Promise<void> {
    for (const client of this.#clients)
      for (const side of ['read', 'write'] as const) await client.listen(side, this.#name)
  }

  async take(step: Step): Promise<string> {
    const told = await this.#carryOut(step)
    const client = this.#client(0)
    const reads = await client.holders('read', this.#name)
    const writes = await client.holders('write', this.#name)
    const waiting = await client.ports.read.countWatchers(this.#name)
    const names = (owners: Owner[]): string =>
      owners
        .map((owner) => this.#known(owner))
        .sort()
        .join()
    return `${step.does}: ${told}; read ${names(reads)}; write ${names(writes)}; ${waiting} wait`
  }

  async #carryOut(step: Step): Promise<string> {
    const name = this.#name
    if (step.does === 'pass') return ''
    if (step.does === 'force') return String(await this.#client(0).ports[step.side].forceUnlock(name))
    const client = this.#client(step.who % CLIENTS)
    const owner: Owner = `${client.clientId}:${step.who}`
    if (step.does === 'acquire') {
      const asked = client.acquire(step.side, name, owner, { leaseMs: LONG_MS, waits: step.waits })
      return await asked.then(
        ({ outcome }) => outcome,
        (error: unknown) => (error instanceof Error ? error.name : 'failed'),
      )
    }
    if (step.does === 'release') return String(await client.release(step.side, name, owner))
    if (step.does === 'renew') return String(await client.renew(step.side, name, owner, LONG_MS))
    return String(await client.abandon(step.side, name, owner))
  }

  #client(index: number): ReadWriteClient {
    const client = this.#clients[index]
    if (!client) throw new Error(`there is no client ${index}`)
    return client
  }

  /** Which client's, and its number. */
  #known(owner: Owner): string {
    const index = this.#clients.findIndex(({ clientId }) => owner.startsWith(clientId))
    return `${index}:${owner.slice(owner.indexOf(':') + 1)}`
  }
}

test('memory and Redis let in, refuse and queue the same', async () => {
  await fc.assert(
    fc.asyncProperty(programs, async (steps) => {
      const [memory, redis] = places.map((place) => new Run(place))
      await Promise.all([memory?.listen(), redis?.listen()])
      for (const step of steps) expect(await redis?.take(step)).toBe(await memory?.take(step))
      await Promise.all(places.map((place) => place.close()))
    }),
    runsOr(40),
  )
})
