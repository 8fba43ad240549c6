/** Several real processes on one file. */
import { renameSync, rmSync } from 'node:fs'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { libsqlDriver } from '../../src/stores/sqlite/driver.js'
import { Forked } from '../redisson/forked.js'
import type { MemberTask } from './member.fixture.js'
import { Stand } from './stand.js'

const stand = new Stand()

function start(task: MemberTask): Forked {
  return Forked.start(new URL('./member.fixture.ts', import.meta.url), task)
}

/** What a process tells first. */
async function idOf(member: Forked): Promise<string> {
  return String(await member.told())
}

async function leave(member: Forked): Promise<void> {
  member.send('leave')
  expect(await member.ended()).toBe(0)
}

describe('processes that begin at once with a file that is not there', () => {
  test.each([false, true])(
    'lose no update (with another SQLite each: %s)',
    async (mixed) => {
      const path = stand.path()
      const names = ['a', 'b', 'c']
      const members = [0, 1, 2, 3].map((index) =>
        start({ path, counts: 500, names, libsql: mixed && index % 2 === 1 }),
      )
      for (const member of members) {
        await idOf(member)
        expect(await member.told()).toBe('done')
      }
      const client = stand.client(path)
      for (const name of names) expect((await client.read(name)).fence).toBe(2_000n)
      for (const member of members) await leave(member)
    },
    120_000,
  )
})

describe('a file that another process has open too, and whose log stays when it is', () => {
  test.each<[string, (path: string) => void]>([
    ['deleted', (path) => rmSync(path)],
    ['moved', (path) => renameSync(path, `${path}.old`)],
  ])('%s: all of them and a new one go on with a new file', async (_, go) => {
    const path = stand.path()
    const task = { path, counts: 1, names: ['a'], libsql: true }
    const client = stand.client(path, { driver: libsqlDriver() })
    await client.count('a')
    const member = start(task)
    await idOf(member)
    expect(await member.told()).toBe('done')
    go(path)
    await client.count('a')
    member.send('count')
    expect(await member.told()).toBe('done')
    const third = start(task)
    await idOf(third)
    expect(await third.told()).toBe('done')
    expect((await client.read('a')).fence).toBe(3n)
    await leave(member)
    await leave(third)
    await client.count('a')
    expect((await client.read('a')).fence).toBe(4n)
  })
})

describe('a client whose process', () => {
  test('lives has not ended, whether it is reached or not', async () => {
    const path = stand.path()
    const client = stand.client(path)
    const member = start({ path })
    const id = await idOf(member)
    expect([await client.ended(id), await client.reaches(id)]).toEqual([false, true])
    process.kill(member.pid, 'SIGSTOP')
    expect([await client.ended(id), await client.reaches(id)]).toEqual([false, true])
    process.kill(member.pid, 'SIGCONT')
    expect(await member.told()).toBe('done')
    await leave(member)
    expect(await client.reaches(id)).toBe(false)
  })

  test('was killed has ended at once, in the middle of its changes too', async () => {
    const path = stand.path()
    const client = stand.client(path)
    for (let round = 0; round < 3; round += 1) {
      const member = start({ path, counts: 1_000_000, names: ['a'] })
      const id = await idOf(member)
      expect(await client.ended(id)).toBe(false)
      await member.kill()
      expect([await client.ended(id), await client.reaches(id)]).toEqual([true, false])
      await client.count('a')
    }
  })
})

test('this process, asked by another client in it, has not ended', async () => {
  const path = stand.path()
  const [one, other] = [stand.client(path), stand.client(path)]
  await one.listen()
  expect([await other.ended(one.id), await other.reaches(one.id)]).toEqual([false, true])
  expect([await one.ended(one.id), await one.reaches(one.id)]).toEqual([false, true])
  expect([await one.ended('unknown'), await one.reaches('unknown')]).toEqual([false, false])
})

test('messages to another process and back arrive, all of them and in order', async () => {
  const path = stand.path()
  const client = stand.client(path)
  await client.listen()
  const member = start({ path, answers: client.id })
  const id = await idOf(member)
  const texts = Array.from({ length: 3_000 }, (_, index) => String(index))
  for (const text of texts) await client.tell(id, `row ${text}`, text)
  await expect.poll(() => client.heard.length, { timeout: 60_000 }).toBe(texts.length)
  expect(client.heard.map(({ text }) => text)).toEqual(texts)
  expect(client.heard.every(({ name, text }) => name === `row ${text}`)).toBe(true)
  await leave(member)
}, 90_000)
