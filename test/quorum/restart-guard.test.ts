import { describe, expect, test } from 'vitest'
import { duringEach } from '../setup/during.js'
import { Assembly, NAME } from './assembly.js'

const GUARD = { restartGuardMs: 60_000 }

const assembly = duringEach(() => new Assembly(3))

/** What a restart without persistence does to one server. */
async function restartEmpty(index: number, runId = 'second'): Promise<void> {
  await assembly.single(index).forceUnlock()
  assembly.server(index).restart(runId)
}

describe('a server that restarts empty', () => {
  test('without a guard votes again at once: two may hold the lock, until the first hears of it', async () => {
    // What docs/quorum.md warns of.
    assembly.server(2).conduct = 'gone'
    const hold = await assembly.held({ leaseMs: 30_000 })
    assembly.server(2).recover()
    await restartEmpty(1)
    expect(await assembly.lock().tryAcquire()).not.toBeNull()
    hold.assertHeld()
  })

  test('with a guard does not vote until the longest lease is over', async () => {
    assembly.server(2).conduct = 'gone'
    const hold = await assembly.outcome(assembly.holdfast({}, GUARD).lock(NAME).acquire({ leaseMs: 50_000 }))
    assembly.server(2).recover()
    const other = assembly.holdfast({}, GUARD)
    await restartEmpty(1)
    // One vote of the two that may vote: the holder has the other.
    expect(await other.lock(NAME).tryAcquire()).toBeNull()
    hold.assertHeld()
    await assembly.clock.advance(49_000)
    expect(await other.lock(NAME).tryAcquire()).toBeNull()
    await assembly.clock.advance(12_000)
    expect(await other.lock(NAME).tryAcquire()).not.toBeNull()
  })

  test('is known by its process, also where a clock that was set says that it runs for long', async () => {
    const holdfast = assembly.holdfast({}, GUARD)
    await holdfast.lock('before').acquire()
    assembly.server(0).restart('second')
    assembly.server(0).startedAt = assembly.clock.now() - 3_600_000
    assembly.server(1).conduct = 'gone'
    await expect(assembly.outcome(holdfast.lock(NAME).tryAcquire())).rejects.toMatchObject({
      message: expect.stringContaining('members[0] (not-ready)'),
    })
    await assembly.clock.advance(60_000)
    expect(await assembly.outcome(holdfast.lock(NAME).tryAcquire())).not.toBeNull()
  })

  test('leaves the others to decide; where too few are left, the error says for how long', async () => {
    const holdfast = assembly.holdfast({}, GUARD)
    await restartEmpty(0, 'again-0')
    await (await holdfast.lock(NAME).acquire()).release()
    await restartEmpty(1, 'again-1')
    await expect(holdfast.lock(NAME).tryAcquire()).rejects.toMatchObject({
      reason: 'not-ready',
      transient: true,
      cause: { errors: [expect.anything(), expect.objectContaining({ reason: 'not-ready' })] },
    })
    await assembly.nothingLeft()
  })

  test('goes on renewing what it has kept', async () => {
    const hold = await assembly.holdfast({ watchdogMs: 3_000 }, GUARD).lock(NAME).acquire()
    assembly.server(0).restart('second')
    assembly.server(1).conduct = 'gone'
    await assembly.clock.advance(10_000)
    hold.assertHeld()
  })
})
