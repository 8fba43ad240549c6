import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { withAdmin } from './admin.js'
import { parseWanted } from './flavour.js'
import { bringServer } from './index.js'
import { LaunchedServer } from './launched.js'
import { findPackage } from './packages.js'
import { onPath } from './path.js'
import { answersPing } from './ping.js'
import type { Server } from './server.js'

const flavour = parseWanted(process.env['HOLDFAST_FLAVOUR'] ?? 'redis-7.0')
const stops: (() => Promise<void>)[] = []

/** Has something stopped when the test is over, however it ends. */
function ours<T extends { stop(): Promise<void> }>(brought: T): T {
  stops.push(() => brought.stop())
  return brought
}

// These tests do to servers what may not be done to one of the user's.
beforeEach(() => {
  vi.stubEnv('HOLDFAST_REDIS_URL', '')
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

const set = (server: Server): Promise<unknown> =>
  withAdmin(server, (command) => command('SET', 'key', 'value'))
const get = (server: Server): Promise<unknown> => withAdmin(server, (command) => command('GET', 'key'))
const answers = ({ host, port }: Server): Promise<boolean> => answersPing(host, port, 200)

describe('a standalone server', () => {
  test('restarts and stops although it hangs', async () => {
    const server = ours(await bringServer({ flavour }))
    await set(server)
    await server.pause()
    await server.restart({ keepData: true })
    expect(await get(server)).toBe('value')
    await server.pause()
    await server.stop()
    expect(await answers(server)).toBe(false)
  })

  test('takes arguments, files and a port', async () => {
    const first = ours(await bringServer({ flavour }))
    await first.stop()
    const server = ours(
      await bringServer({
        flavour,
        port: first.port,
        args: ['--aclfile', 'users.acl'],
        files: { 'users.acl': 'user default on nopass ~only:* +@all\n' },
      }),
    )
    expect(server.port).toBe(first.port)
    await expect(set(server)).rejects.toThrow('NOPERM')
  })

  test('that will not start is an error with its own words', async () => {
    await expect(bringServer({ flavour, args: ['--nonsense', '1'] })).rejects.toThrow(
      /ended at once[\s\S]*nonsense/,
    )
  })

  test('that HOLDFAST_REDIS_URL names is used and left alone', async () => {
    const theirs = ours(await bringServer({ flavour }))
    vi.stubEnv('HOLDFAST_REDIS_URL', theirs.url)
    const server = await bringServer()
    expect(server).toMatchObject({ how: 'url', port: theirs.port, version: theirs.version })
    await expect(server.kill()).rejects.toThrow('not ours')
    await server.stop()
    expect(await answers(server)).toBe(true)
    expect(ours(await bringServer({ flavour, args: [] })).port).not.toBe(theirs.port)
  })

  test('that HOLDFAST_REDIS_URL names in vain is an error', async () => {
    const gone = ours(await bringServer({ flavour }))
    await gone.stop()
    vi.stubEnv('HOLDFAST_REDIS_URL', gone.url)
    await expect(bringServer()).rejects.toThrow('HOLDFAST_REDIS_URL does not answer')
  })
})

test('Debian packages yield a server where nothing is installed', { timeout: 120_000 }, async (context) => {
  const apt = (await onPath('apt-get')) !== undefined && (await onPath('dpkg')) !== undefined
  context.skip(!apt, 'this system has no apt')
  const way = await findPackage({ wanted: flavour, group: false })
  if (typeof way === 'string') throw new Error(way)
  const server = ours(await LaunchedServer.start({ way }))
  expect(server.how).toBe('package')
  expect(await answers(server)).toBe(true)
})
