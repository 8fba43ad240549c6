/** How messages come, and what happens where they cannot. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Forked } from '../redisson/forked.js'
import { eventually } from '../setup/eventually.js'
import type { TestClient } from './client.js'
import { Stand } from './stand.js'

const stand = new Stand()

function pair(path = stand.path()): [TestClient, TestClient] {
  return [stand.client(path), stand.client(path)]
}

test('messages come from the moment on when the inbox is open, and to nobody else', async () => {
  const [one, other] = pair()
  await one.change('any', () => undefined)
  expect([one.session.inbox?.open, await other.reaches(one.id)]).toEqual([false, false])
  await other.tell(one.id, 'a', 'too early')
  await Promise.all([one.listen(), one.listen(), other.listen()])
  expect([one.session.inbox?.open, await other.reaches(one.id)]).toEqual([true, true])
  await other.tell(one.id, 'a', 'in time')
  await one.tell(one.id, 'a', 'to itself')
  await eventually(() => one.heard.length === 2)
  expect(one.heard).toEqual([
    { keyspace: 'lock', name: 'a', text: 'in time' },
    { keyspace: 'lock', name: 'a', text: 'to itself' },
  ])
  expect(other.heard).toEqual([])
})

test('a message is sent only if the change is made', async () => {
  const [one, other] = pair()
  await one.listen()
  await other
    .change('a', (draft) => {
      draft.tell(one.id, { keyspace: 'lock', name: 'a', text: 'lost' })
      draft.body.packed = { ...draft.body.packed, fence: 2n ** 70n }
    })
    .catch(() => undefined)
  await other.tell(one.id, 'a', 'kept')
  await eventually(() => one.heard.length > 0)
  expect(one.heard.map(({ text }) => text)).toEqual(['kept'])
})

test('a bell that is taken away is hung up again, and nothing is missed', async () => {
  const path = stand.path()
  const [one, other] = pair(path)
  await one.listen()
  for (let round = 1; round <= 20; round += 1) {
    const { missed } = one
    rmSync(join(`${path}-bells`, one.id))
    await other.tell(one.id, 'a', String(round))
    await eventually(() => one.heard.length === round && one.missed > missed)
  }
  expect(one.errors).toEqual([])
})

test('where nothing can be watched, a client that waits looks again and again, and says so once', async () => {
  const path = stand.path()
  const [one, other] = pair(path)
  await other.change('any', () => undefined)
  // In the place of the folder.
  writeFileSync(`${path}-bells`, '')
  await one.listen()
  expect(await other.reaches(one.id)).toBe(true)
  await one.write('a', { waiting: [one.id] })
  for (let round = 1; round <= 5; round += 1) {
    await other.tell(one.id, 'a', String(round))
    await eventually(() => one.heard.length === round)
  }
  expect(one.errors).toMatchObject([{ code: 'STORE_ERROR', command: 'watch' }])
})

test('a holder whose process ends is noticed by those who wait for it, long before its lease ends', async () => {
  const path = stand.path()
  const client = stand.client(path)
  await client.listen()
  const member = Forked.start(new URL('./member.fixture.ts', import.meta.url), { path })
  const holder = String(await member.told())
  await client.change('a', (draft) => {
    draft.ended(holder)
    draft.body.packed = {
      ...draft.body.packed,
      owner: `${holder}:1`,
      holds: 1,
      endsAt: Infinity,
      waiting: [client.id],
    }
  })
  expect(client.missed).toBe(0)
  await member.kill()
  await eventually(() => client.missed > 0)
})

test('a doubt finds what the bell did not tell, but tells nothing before it returns: who doubts reads an answer', async () => {
  const path = stand.path()
  const [one, other] = pair(path)
  await one.listen()
  await other.listen()
  one.session.inbox?.doubt()
  await other.tell(one.id, 'a', 'b')
  one.session.inbox?.doubt()
  expect(one.heard).toEqual([])
  await setImmediate()
  expect(one.heard).toHaveLength(1)
  await one.session.close()
  await other.session.close()
  expect(readdirSync(`${path}-bells`)).toEqual([])
})
