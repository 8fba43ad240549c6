/** What the command line shows of each kind of lock, beside a server and a cluster. */
import { describe, expect, it } from 'vitest'
import { untilWaiting } from '../../src/conformance/idle.js'
import { later } from '../setup/later.js'
import { tidiedPlace } from '../setup/places.js'
import { shownAs, useProgram } from './program.js'
import { redisUrls } from './where.js'

const program = useProgram()

describe.each(['standalone', 'cluster'] as const)('kinds in %s', (server) => {
  const place = tidiedPlace(server)
  const setting = () => ({ url: redisUrls[server]() })
  const show = (command: 'inspect' | 'ls', name: string) => program.json([command, name], setting())
  const text = async (name: string) => (await program.run(['inspect', name], setting())).stdout
  /** Both show that one lock so; what only `inspect` tells is in `more`. */
  const expectShown = async (name: string, expected: object, more: object = {}): Promise<void> => {
    expect(await show('inspect', name)).toMatchObject([{ name, ...expected, ...more }])
    expect(await show('ls', name)).toMatchObject([{ name, ...expected }])
  }
  const heldBy = (owner: string, more: object = { holds: 1 }) => expect.objectContaining({ owner, ...more })

  it('fenced lock: the last token, while held and after', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().fencedLock(name).acquire()
    const held = { kind: 'fenced lock', locked: true, owners: [heldBy(hold.owner)], fence: '1' }
    await expectShown(name, held, { waitingClients: 0 })
    await hold.release()
    expect(await show('inspect', name)).toMatchObject([{ kind: 'fenced lock', locked: false, fence: '1' }])
    expect(await show('ls', name)).toEqual([])
  })

  it('lock and fair lock: who stands in line, in order', async () => {
    const name = place.lockName()
    const lock = place.holdfast().fairLock(name)
    const hold = await lock.acquire()
    const owners: string[] = []
    for (const length of [1, 2, 3]) {
      const holdfast = place.holdfast()
      const owner = holdfast.owner()
      owners.push(owner)
      later(holdfast.fairLock(name).acquire({ owner }))
      await untilWaiting(place, lock, length)
    }
    const line = owners.map((owner) => ({ owner }))
    const held = { kind: 'lock', locked: true, owners: [heldBy(hold.owner)] }
    await expectShown(name, held, { line, waitingClients: 3 })
    const stdout = await text(name)
    const [first = '', , third = ''] = owners.map((owner) => shownAs(owner, 'for .+, since .+Z'))
    expect(stdout).toMatch(new RegExp(`^In line +1\\. ${first}$`, 'm'))
    expect(stdout).toMatch(new RegExp(`^ +3\\. ${third}$`, 'm'))
  })

  it('read-write lock: several readers, the writer in line, then the writer', async () => {
    const name = place.lockName()
    const readers = [place.holdfast(), place.holdfast()]
    const reads = await Promise.all(readers.map((each) => each.readWriteLock(name).readLock().acquire()))
    const writer = place.holdfast()
    const owner = writer.owner()
    const writeLock = writer.readWriteLock(name).writeLock()
    const write = writeLock.acquire({ owner })
    await untilWaiting(place, writeLock, 1)
    const held = { kind: 'read-write lock', mode: 'read', locked: true, owners: { length: 2 } }
    await expectShown(name, held, { line: [{ owner, mode: 'write' }], waitingClients: 1 })
    const [seen] = await show('inspect', name)
    const holders = reads.map((read) => heldBy(read.owner, { holds: 1, mode: 'read' }))
    expect(seen?.['owners']).toEqual(expect.arrayContaining(holders))
    for (const read of reads) await read.release()
    await using _ = await write
    expect(await show('inspect', name)).toMatchObject([
      {
        ...{ kind: 'read-write lock', mode: 'write', fence: expect.stringMatching(/^\d+$/) },
        owners: [heldBy(owner, { holds: 1, mode: 'write' })],
      },
    ])
  })

  it('semaphore: who holds how many, and how many are left', async () => {
    const name = place.lockName()
    const semaphore = place.holdfast().semaphore(name)
    await semaphore.trySetPermits(5)
    const hold = await semaphore.acquire({ permits: 2 })
    const held = { kind: 'semaphore', locked: true, owners: [heldBy(hold.owner, { holds: 2 })], available: 3 }
    await expectShown(name, held, { waitingClients: 0 })
    const stdout = await text(name)
    for (const line of ['Kind +semaphore', 'Available +3', `Owner +${shownAs(hold.owner, '2 permits')}`])
      expect(stdout).toMatch(new RegExp(`^${line}$`, 'm'))
    await hold.release()
    expect(await show('ls', name)).toEqual([])
  })

  it('permit-expirable semaphore: the ids of permits that are out', async () => {
    const name = place.lockName()
    const semaphore = place.holdfast().permitExpirableSemaphore(name)
    await semaphore.trySetPermits(3)
    const { permitIds } = await semaphore.acquire({ permits: 2 })
    const owners = permitIds.map((id) => ({ owner: `${id}:1`, holds: 1 }))
    await expectShown(name, { kind: 'permit-expirable semaphore', owners, available: 1 })
  })

  it('latch: recognised by who waits for it; else it could be a semaphore', async () => {
    const name = place.lockName()
    const latch = place.holdfast().countDownLatch(name)
    await latch.trySetCount(2)
    const number = { kind: 'semaphore or latch', number: 2, locked: false }
    expect(await show('inspect', name)).toMatchObject([number])
    expect(await show('ls', name)).toEqual([])
    later(latch.await())
    await untilWaiting(place, latch, 1)
    const shut = { kind: 'count-down latch', locked: true, owners: [], count: 2, remainingMs: null }
    await expectShown(name, shut, { waitingClients: 1 })
    await latch.delete()
  })

  it('names with braces, and two locks of one name', async () => {
    const name = `{${place.lockName()}}:a{b`
    const holdfast = place.holdfast()
    await holdfast.fencedLock(name).acquire()
    await holdfast.readWriteLock(name).readLock().acquire()
    const both = ['fenced lock', 'read-write lock'].map((kind) => ({ name, kind }))
    expect(await show('inspect', name)).toMatchObject(both)
    const listed = await show('ls', name)
    expect(listed).toHaveLength(2)
    expect(listed).toEqual(expect.arrayContaining(both.map((each) => expect.objectContaining(each))))
    const odd = `${place.lockName()}}{`
    const semaphore = holdfast.semaphore(odd)
    await semaphore.trySetPermits(1)
    await semaphore.acquire()
    expect(await show('ls', odd)).toMatchObject([{ name: odd, kind: 'semaphore' }])
  })
})
