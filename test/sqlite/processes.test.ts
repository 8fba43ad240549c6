/** Several real processes on one file. */
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { Forked } from '../redisson/forked.js'
import type { MemberTask } from './member.fixture.js'
import { Stand } from './stand.js'

const stand = new Stand()

class Member {
  readonly #forked: Forked

  constructor(task: MemberTask) {
    this.#forked = Forked.start(new URL('./member.fixture.ts', import.meta.url), task)
  }

  async id(): Promise<string> {
    return String(await this.#forked.told())
  }

  async done(): Promise<void> {
    expect(await this.#forked.told()).toBe('done')
  }

  get pid(): number {
    return this.#forked.pid
  }

  kill(): Promise<void> {
    return this.#forked.kill()
  }

  async leave(): Promise<void> {
    this.#forked.send('leave')
    expect(await this.#forked.ended()).toBe(0)
  }
}

describe('processes that begin at once with a file that is not there', () => {
  test.each([false, true])(
    'lose no update (with another SQLite each: %s)',
    async (mixed) => {
      const path = stand.path()
      const members = [0, 1, 2, 3].map(
        (index) =>
          new Member({ path, counts: 500, names: ['a', 'b', 'c'], libsql: mixed && index % 2 === 1 }),
      )
      for (const member of members) {
        await member.id()
        await member.done()
      }
      const client = stand.client(path)
      for (const name of ['a', 'b', 'c']) expect((await client.read(name)).fence).toBe(2_000n)
      for (const member of members) await member.leave()
    },
    120_000,
  )
})

describe('a client whose process', () => {
  test('lives has not ended, whether it is reached or not', async () => {
    const path = stand.path()
    const client = stand.client(path)
    const member = new Member({ path })
    const id = await member.id()
    expect([await client.ended(id), await client.reaches(id)]).toEqual([false, true])
    process.kill(member.pid, 'SIGSTOP')
    expect([await client.ended(id), await client.reaches(id)]).toEqual([false, true])
    process.kill(member.pid, 'SIGCONT')
    await member.done()
    await member.leave()
    expect(await client.reaches(id)).toBe(false)
  })

  test('was killed has ended at once, in the middle of its changes too', async () => {
    const path = stand.path()
    const client = stand.client(path)
    for (let round = 0; round < 3; round += 1) {
      const member = new Member({ path, counts: 1_000_000, names: ['a'] })
      const id = await member.id()
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
  const member = new Member({ path, answers: client.id })
  const id = await member.id()
  const texts = Array.from({ length: 3_000 }, (_, index) => String(index))
  for (const text of texts) await client.tell(id, `row ${text}`, text)
  await expect.poll(() => client.heard.length, { timeout: 60_000 }).toBe(texts.length)
  expect(client.heard.map(({ text }) => text)).toEqual(texts)
  expect(client.heard.every(({ name, text }) => name === `row ${text}`)).toBe(true)
  await member.leave()
}, 90_000)
