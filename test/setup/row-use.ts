import { randomUUID } from 'node:crypto'
import type { RowSession } from '../../src/stores/rows/rows.js'
import { tallies } from '../postgres/tally.js'

/** Has a session do all that it ever does in a database. Rejects with the first failure. */
export async function useAll(session: RowSession & { clean(): Promise<void> }): Promise<void> {
  const { express } = session
  if (!express) throw new Error('it has no express commands')
  const name = randomUUID()
  const owner = 'a:1'
  await express.take({ name, owner, leaseMs: 60_000 })
  await express.take({ name, owner: 'b:1', leaseMs: 60_000 })
  const renewals = ['', ', which is not there'].map((end) => ({ name: name + end, owner, leaseMs: 60_000 }))
  await Promise.all(express.renew(renewals))
  await Promise.all(express.renew(renewals.slice(0, 1)))
  await express.free(name, owner)
  for (let round = 0; round < 2; round += 1) {
    await session.change(tallies, name, ({ body, tell }) => {
      body.holds = round
      tell(randomUUID(), { keyspace: 'latch', name, text: 'for nobody' })
    })
  }
  for await (const found of session.names('latch', `${name}*`)) if (found !== name) throw new Error(found)
  await session.clean()
}
