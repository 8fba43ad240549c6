/** Read-write locks while replies are lost, and on servers that refuse. */
import { afterEach, describe, expect, inject, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { eventsOf } from '../fault/heard.js'
import { Scene } from '../fault/scene.js'
import { bringServer } from '../servers/index.js'
import { duringAll, duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'

/** Waits until so many stand in line, as the server has it. */
async function lineOf(scene: Scene, length: number): Promise<void> {
  await eventually(async () => (await scene.direct.zcard(`holdfast_rw_line:{${scene.name}}`)) === length)
}

describe('a server that refuses', () => {
  const server = duringAll(() => bringServer({ flavour: inject('servers').flavour }))
  const scene = duringEach(() => Scene.standalone(undefined, server))
  afterEach(() => scene.direct.call('CONFIG', 'SET', 'maxmemory', '0'))
  const keys = async (): Promise<string[]> => (await scene.direct.keys(`*${scene.name}*`)).sort()
  const fence = (): string => `holdfast_rw_fence:{${scene.name}}`

  test('full: an acquire is refused and leaves nothing; releases, partial ones too, and renewals go on', async () => {
    const holdfast = scene.holdfast({ watchdogMs: 3_000 })
    const read = holdfast.readWriteLock(scene.name).readLock()
    const heard = eventsOf(holdfast, ['renewed', 'suspended', 'lost', 'error'])
    const outer = await read.acquire()
    const inner = await read.acquire({ owner: outer.owner })
    const before = await keys()
    await scene.direct.call('CONFIG', 'SET', 'maxmemory', '1')
    const refusal = { code: 'STORE_ERROR', reason: 'out-of-memory', transient: false }
    await expect(holdfast.readWriteLock(scene.name).writeLock().acquire()).rejects.toMatchObject(refusal)
    await expect(read.acquire()).rejects.toMatchObject(refusal)
    expect(await keys()).toEqual(before)
    await eventually(() => heard.includes('renewed'))
    await inner.release()
    outer.assertHeld()
    await outer.release()
    expect(heard.filter((event) => event !== 'renewed')).toEqual([])
    expect(await keys()).toEqual([fence()])
    await scene.nothingLeft()
  })

  test('full: who stands in line is let in by the last release, and keeps its place until then', async () => {
    const holder = await scene.holdfast().readWriteLock(scene.name).writeLock().acquire()
    const waiter = scene.holdfast({ watchdogMs: 900 })
    const waiting = waiter.readWriteLock(scene.name).readLock().acquire({ leaseMs: 5_000 })
    await lineOf(scene, 1)
    await scene.direct.call('CONFIG', 'SET', 'maxmemory', '1')
    // It has looked once more, which is when its place would be lost if that were refused.
    const looks = async (): Promise<number> => {
      const [kept] = await scene.direct.hvals(`holdfast_rw_processes:{${scene.name}}`)
      return Number.parseInt(kept ?? '', 10)
    }
    const first = await looks()
    await eventually(looks, (at) => at > first)
    await holder.release()
    const hold = await waiting
    hold.assertHeld()
    await hold.release()
    await scene.nothingLeft()
  })

  test('without permission for channels: who need not wait is served, and is told whom it could not tell', async () => {
    await scene.direct.call('ACL', 'SETUSER', 'mute', 'reset', 'on', '>s', '~*', 'resetchannels', '+@all')
    const mute = scene.holdfast({}, { client: { username: 'mute', password: 's' } })
    const errors = journalOf(mute, 'error')
    const write = mute.readWriteLock(scene.name).writeLock()
    const hold = await write.acquire({ leaseMs: lasting(2_000) })
    const waiting = scene.holdfast({ watchdogMs: 900 }).readWriteLock(scene.name).readLock().acquire()
    await lineOf(scene, 1)
    await hold.release()
    // The waiter finds out when it looks: at the latest when the lease would have ended that it saw.
    await (await waiting).release()
    expect(errors).toEqual([expect.objectContaining({ code: 'STORE_ERROR', reason: 'permission' })])
    await scene.nothingLeft()
  })
})
