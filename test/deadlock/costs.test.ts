/** What waits cost for the sake of deadlocks, counted in commands at a proxy; and what a server that refuses does. */
import { describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import type { Holdfast } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { deadlocksOf } from './ring.js'

const scene = duringEach(() => Scene.counted())

/** The commands for edges that went through the proxy and were carried out, by their names. */
function counts(): Record<'left' | 'read' | 'withdrawn', number> {
  const count = (wanted: string): number =>
    scene.proxy.commands.filter(({ label, applied }) => label === wanted && applied).length
  return { left: count('edgeLeave'), read: count('edgeList'), withdrawn: count('HDEL') }
}

/** Waits, holding something, until that is so. */
async function waitsUntil(holdfast: Holdfast, isSo: () => boolean): Promise<void> {
  const abort = new AbortController()
  const waiting = rejectionOf(section(holdfast, { signal: abort.signal }))
  await eventually(isSo)
  abort.abort('enough')
  expect(await waiting).toBe('enough')
}

const section = (holdfast: Holdfast, options: object = {}): Promise<unknown> =>
  holdfast
    .lock(`${scene.name}:held`)
    .withLock(() => holdfast.lock(scene.name).withLock(options, () => undefined))

/** What the sections wait for. */
const taken = () => scene.holdfast({}, { proxied: false }).lock(scene.name).acquire()

describe('K1: what a wait costs', () => {
  test('nothing in code that holds nothing, and nothing for a short one', async () => {
    const hold = await taken()
    const holdfast = scene.holdfast()
    deadlocksOf(holdfast)
    await expect(section(holdfast, { waitMs: 20 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
    await expect(holdfast.lock(scene.name).acquire({ waitMs: 1_200 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
    })
    expect(counts()).toEqual({ left: 0, read: 0, withdrawn: 0 })
    await hold.release()
  })

  test('one command each time where nobody wants to know of deadlocks; one more for each lock that it holds where somebody does', async () => {
    const hold = await taken()
    const holdfast = scene.holdfast()
    await waitsUntil(holdfast, () => counts().left === 1 && counts().read === 0)
    await eventually(() => counts().withdrawn === 1)
    expect(counts()).toEqual({ left: 1, read: 0, withdrawn: 1 })
    const told = deadlocksOf(holdfast)
    await waitsUntil(holdfast, () => counts().left === 2 && counts().read === 1)
    await eventually(() => counts().withdrawn === 2)
    expect(counts()).toEqual({ left: 2, read: 1, withdrawn: 2 })
    expect(told).toEqual([])
    await hold.release()
  })
})

describe('K6: a server that refuses', () => {
  test('is told of once; waits go on as without', async () => {
    const keys = [`~${scene.name}*`, '~holdfast_line:*', '~holdfast_processes:*', '~redisson_lock_token:*']
    await scene.direct.call('ACL', 'SETUSER', 'edgeless', 'reset', 'on', '>secret', ...keys, '&*', '+@all')
    const client = { username: 'edgeless', password: 'secret' }
    const holdfast = scene.holdfast({ onDeadlock: 'reject' }, { client })
    const errors = journalOf(holdfast, 'error')
    const hold = await taken()
    await waitsUntil(holdfast, () => errors.length > 0)
    await expect(section(holdfast, { waitMs: 800 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
    expect(errors).toEqual([expect.objectContaining({ reason: 'permission' })])
    await hold.release()
    await scene.direct.call('ACL', 'DELUSER', 'edgeless')
  })

  test('something else under the key of the edges: told, and waits go on', async () => {
    await scene.direct.set(`holdfast_edges:{${scene.name}}`, 'text')
    const holdfast = scene.holdfast()
    const errors = journalOf(holdfast, 'error')
    const hold = await taken()
    const waiting = section(holdfast)
    await eventually(() => errors.length > 0)
    expect(errors).toEqual([expect.objectContaining({ reason: 'wrong-type' })])
    await hold.release()
    await waiting
    await scene.direct.del(`holdfast_edges:{${scene.name}}`)
  })
})

test.each(['before', 'after'])(
  'K5: a client that is closed while its server is silent, since %s it left an edge, tells of no edge',
  async (since) => {
    const holdfast = scene.holdfast({ onDeadlock: 'reject' })
    const errors = journalOf(holdfast, 'error')
    const hold = await taken()
    const ended = section(holdfast).catch((error: unknown) => error)
    if (since === 'after') await eventually(() => counts().read > 0)
    else await scene.holdReply(({ label }) => label === 'edgeLeave')
    scene.proxy.blackHole()
    await holdfast.close({ timeoutMs: 100 })
    expect(await ended).toMatchObject({ code: 'CLOSED' })
    // The place in line, and the hold: what is not told to the store then is told to the program.
    const closed = { code: 'CLOSED', lockName: expect.stringContaining(scene.name) }
    expect(errors).toMatchObject([closed, closed])
    await hold.release()
  },
)
