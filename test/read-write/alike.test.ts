/** Both stores answer the same to whatever is asked, as far as time plays no part in it. */
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { runsOr } from '../properties/runs.js'
import { ReadWriteClient, type Side } from '../setup/port-client.js'
import { lockName, MemoryPlace, type PortPlace, RedisPlace } from '../setup/port-place.js'
import { CLIENTS, programs, type Step } from './program.js'

const places = [new MemoryPlace(ReadWriteClient), RedisPlace.standalone(ReadWriteClient)]
const LONG_MS = 60_000

afterEach(() => Promise.all(places.map((place) => place.close())))

/** A program's run in one place, with its owners called by their numbers. */
class Run {
  readonly #clients: ReadWriteClient[]
  readonly #first: ReadWriteClient
  readonly #name = lockName()

  constructor(place: PortPlace<ReadWriteClient>) {
    const client = () => place.client({ firstLeaseMs: LONG_MS })
    this.#first = client()
    this.#clients = [this.#first, ...Array.from({ length: CLIENTS - 1 }, client)]
  }

  /** Whoever hears nothing is let in by nobody. */
  async listen(): Promise<void> {
    for (const client of this.#clients)
      for (const side of ['read', 'write'] as const) await client.listen(side, this.#name)
  }

  async take(step: Step): Promise<string> {
    const told = await this.#carryOut(step)
    const names = async (side: Side): Promise<string> =>
      (await this.#first.holders(side, this.#name))
        .map((owner) => this.#known(owner))
        .sort()
        .join()
    const waiting = await this.#first.ports.read.countWatchers(this.#name)
    return `${step.does}: ${told}; read ${await names('read')}; write ${await names('write')}; ${waiting} wait`
  }

  async #carryOut(step: Step): Promise<unknown> {
    const name = this.#name
    if (step.does === 'pass') return ''
    if (step.does === 'force') return await this.#first.ports[step.side].forceUnlock(name)
    const client = this.#clients[step.who % CLIENTS] ?? this.#first
    const owner: Owner = `${client.clientId}:${step.who}`
    if (step.does === 'acquire') {
      const asked = client.acquire(step.side, name, owner, { leaseMs: LONG_MS, waits: step.waits })
      return await asked.then(
        ({ outcome }) => outcome,
        (error: unknown) => (error instanceof Error ? error.name : 'failed'),
      )
    }
    if (step.does === 'renew') return await client.renew(step.side, name, owner, LONG_MS)
    return await client[step.does](step.side, name, owner)
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
