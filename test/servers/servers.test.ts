import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parseWanted } from './flavour.js'
import { bringServer } from './index.js'
import { answersPing } from './port.js'
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

const answers = ({ host, port }: Server): Promise<boolean> => answersPing(host, port, 200)

describe('a standalone server', () => {
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
