/** What a row says and how it is changed, with each SQLite that there is. */
import process from 'node:process'
import { beforeEach, describe, expect, test } from 'vitest'
import { NO_ROW } from '../../src/stores/rows/shape.js'
import { type Driver, libsqlDriver, nodeDriver } from '../../src/stores/sqlite/driver.js'
import type { ClientParts, TestClient } from './client.js'
import { Stand } from './stand.js'

const stand = new Stand()

const drivers: ReadonlyArray<readonly [string, Driver | undefined]> = [
  ['libsql', libsqlDriver()],
  ['node:sqlite', nodeDriver()],
]

test('libsql is there in any case, node:sqlite from Node 22.13 on', () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  expect(drivers.map(([, driver]) => driver !== undefined)).toEqual([
    true,
    major > 22 || (major === 22 && minor >= 13),
  ])
})

describe.each(drivers.filter(([, driver]) => driver))('%s', (_, driver) => {
  let path: string
  let client: TestClient
  const another = (parts: ClientParts = {}): TestClient => stand.client(path, { driver, ...parts })
  beforeEach(() => {
    path = stand.path()
    client = another()
  })

  test('changes asked for at once are made in order, and one that throws spoils no other', async () => {
    const count = (index: number): Promise<void> =>
      client.change('a', ({ body }) => {
        expect(body.packed.fence ?? 0n).toBe(BigInt(index < 2 ? index : index - 1))
        if (index === 1) throw new Error('the second')
        body.packed = { ...body.packed, fence: (body.packed.fence ?? 0n) + 1n }
      })
    const all = await Promise.allSettled(Array.from({ length: 300 }, (_, index) => count(index)))
    expect(all.map(({ status }) => status === 'fulfilled')).toEqual(all.map((_, index) => index !== 1))
    expect((await another().read('a')).fence).toBe(299n)
  })

  test('after each statement others can write, whatever it was and however it ended', async () => {
    const other = another()
    const statements: ReadonlyArray<() => Promise<unknown>> = [
      () => client.listen(),
      () => client.names(),
      () => client.change('a', () => undefined),
      () => client.tell(client.id, 'a', 'b'),
      () => expect.poll(() => client.heard.length).toBe(1),
      () => client.ended('nobody'),
      () => client.write('a', { fence: 2n ** 64n }).catch(() => undefined),
    ]
    for (const statement of statements) {
      await statement()
      await other.write('free', { holds: 1 })
    }
    await client.write('a', { fence: 1n })
  })

  test('a client that is closed leaves nothing of itself, and takes nothing more', async () => {
    await client.listen()
    await client.session.close()
    await client.session.close()
    expect(await another().reaches(client.id)).toBe(false)
    await expect(client.read('a')).rejects.toMatchObject({ code: 'STORE_ERROR', reason: 'unreachable' })
  })

  test('what is under way when a client is closed is refused', async () => {
    const change = client.write('a', { holds: 1 })
    const closing = client.session.close()
    await expect(change).rejects.toMatchObject({ code: 'STORE_ERROR', reason: 'unreachable' })
    await closing
    expect(await another().read('a')).toEqual(NO_ROW)
  })
})
