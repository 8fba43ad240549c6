/** What the command line shows of each kind of lock, beside a server and a cluster. */
import { afterEach, describe, expect, it } from 'vitest'
import { placeOf } from '../setup/places.js'
import { jsonLines } from './json.js'
import { useProgram } from './program.js'
import { shownAs } from './shown-as.js'
import { redisUrls } from './where.js'

const program = useProgram()
for (const server of ['standalone', 'cluster'] as const) {
  const place = placeOf(server)
  const show = async (command: 'inspect' | 'ls', name: string) =>
    jsonLines((await program.run([command, name, '--json'], { url: redisUrls[server]() })).stdout)
  const shown = async (command: 'inspect' | 'ls', name: string): Promise<Record<string, unknown>> => {
    const lines = await show(command, name)
    expect(lines).toHaveLength(1)
    return { ...lines[0] }
  }

  describe(`kinds in ${server}`, () => {
    afterEach(() => place.tidy())

    it('fenced lock: the last token, while held and after', async () => {
      const name = place.lockName()
      const lock = place.holdfast().fencedLock(name)
      const hold = await lock.acquire()
      const held = {
        name,
        kind: 'fenced lock',
        locked: true,
        owners: [expect.objectContaining({ owner: hold.owner, holds: 1 })],
        fence: '1',
      }
      expect(await shown('inspect', name)).toMatchObject({ ...held, waitingClients: 0 })
      expect(await shown('ls', name)).toMatchObject(held)
      await hold.release()
      expect(await shown('inspect', name)).toMatchObject({ kind: 'fenced lock', locked: false, fence: '1' })
      expect(await show('ls', name)).toEqual([])
    })

    it('lock and fair lock: who stands in line, in order', async () => {
      const name = place.lockName()
      const lock = place.holdfast().fairLock(name)
      const hold = await lock.acquire()
      expect(await shown('ls', name)).toMatchObject({ kind: 'lock', locked: true })
      const leave = new AbortController()
      const owners: string[] = []
      const waits: Promise<unknown>[] = []
      for (const length of [1, 2, 3]) {
        const holdfast = place.holdfast()
        const owner = holdfast.owner()
        owners.push(owner)
        waits.push(
          holdfast
            .fairLock(name)
            .acquire({ owner, signal: leave.signal })
            .catch(() => undefined),
        )
        await place.eventually(
          () => lock.countWaitingClients(),
          (clients) => clients === length,
        )
      }
      expect(await shown('inspect', name)).toMatchObject({
        kind: 'lock',
        owners: [expect.objectContaining({ owner: hold.owner, holds: 1 })],
        line: owners.map((owner) => ({ owner })),
        waitingClients: 3,
      })
      expect(await shown('ls', name)).toMatchObject({ name, kind: 'lock', locked: true })
      const { stdout } = await program.run(['inspect', name], { url: redisUrls[server]() })
      expect(stdout).toMatch(
        new RegExp(`^In line +1\\. ${shownAs(owners[0] ?? '', 'for .+, since .+Z')}$`, 'm'),
      )
      expect(stdout).toMatch(new RegExp(`^ +3\\. ${shownAs(owners[2] ?? '', 'for .+, since .+Z')}$`, 'm'))
      leave.abort()
      await Promise.all(waits)
    })

    it('read-write lock: several readers, the writer in line, then the writer', async () => {
      const name = place.lockName()
      const readers = [place.holdfast(), place.holdfast()]
      const reads = await Promise.all(readers.map((each) => each.readWriteLock(name).readLock().acquire()))
      const writer = place.holdfast()
      const me = writer.owner()
      const writeLock = writer.readWriteLock(name).writeLock()
      const write = writeLock.acquire({ owner: me })
      await place.eventually(
        () => writeLock.countWaitingClients(),
        (clients) => clients === 1,
      )
      const seen = await shown('inspect', name)
      expect(seen).toMatchObject({
        name,
        kind: 'read-write lock',
        mode: 'read',
        locked: true,
        line: [{ owner: me, mode: 'write' }],
        waitingClients: 1,
      })
      const holders = reads.map(({ owner }) => expect.objectContaining({ owner, holds: 1, mode: 'read' }))
      expect(seen['owners']).toHaveLength(2)
      expect(seen['owners']).toEqual(expect.arrayContaining(holders))
      expect(await shown('ls', name)).toMatchObject({ name, kind: 'read-write lock', mode: 'read' })
      for (const read of reads) await read.release()
      await using _ = await write
      expect(await shown('inspect', name)).toMatchObject({
        kind: 'read-write lock',
        mode: 'write',
        owners: [expect.objectContaining({ owner: me, holds: 1, mode: 'write' })],
        fence: expect.stringMatching(/^\d+$/),
      })
    })

    it('semaphore: who holds how many, and how many are left', async () => {
      const name = place.lockName()
      const semaphore = place.holdfast().semaphore(name)
      await semaphore.trySetPermits(5)
      const hold = await semaphore.acquire({ permits: 2 })
      const expected = {
        name,
        kind: 'semaphore',
        locked: true,
        owners: [expect.objectContaining({ owner: hold.owner, holds: 2 })],
        available: 3,
      }
      expect(await shown('inspect', name)).toMatchObject({ ...expected, waitingClients: 0 })
      expect(await shown('ls', name)).toMatchObject(expected)
      const { stdout } = await program.run(['inspect', name], { url: redisUrls[server]() })
      expect(stdout).toMatch(/^Kind +semaphore$/m)
      expect(stdout).toMatch(/^Available +3$/m)
      expect(stdout).toMatch(new RegExp(`^Owner +${shownAs(hold.owner, '2 permits')}$`, 'm'))
      await hold.release()
      expect(await show('ls', name)).toEqual([])
    })

    it('permit-expirable semaphore: the ids of permits that are out', async () => {
      const name = place.lockName()
      const semaphore = place.holdfast().permitExpirableSemaphore(name)
      await semaphore.trySetPermits(3)
      const hold = await semaphore.acquire({ permits: 2 })
      const expected = {
        name,
        kind: 'permit-expirable semaphore',
        owners: hold.permitIds.map((id) => ({ owner: `${id}:1`, holds: 1 })),
        available: 1,
      }
      expect(await shown('inspect', name)).toMatchObject(expected)
      expect(await shown('ls', name)).toMatchObject(expected)
    })

    it('latch: recognised by who waits for it; else it could be a semaphore', async () => {
      const name = place.lockName()
      const latch = place.holdfast().countDownLatch(name)
      await latch.trySetCount(2)
      expect(await shown('inspect', name)).toMatchObject({
        kind: 'semaphore or latch',
        number: 2,
        locked: false,
      })
      expect(await show('ls', name)).toEqual([])
      const leave = new AbortController()
      const wait = latch.await({ signal: leave.signal }).catch(() => undefined)
      await place.eventually(
        () => latch.countWaitingClients(),
        (count) => count === 1,
      )
      const expected = {
        name,
        kind: 'count-down latch',
        locked: true,
        owners: [],
        count: 2,
        remainingMs: null,
      }
      expect(await shown('inspect', name)).toMatchObject({ ...expected, waitingClients: 1 })
      expect(await shown('ls', name)).toMatchObject(expected)
      leave.abort()
      await wait
      await latch.delete()
    })

    it('names with braces, and two locks of one name', async () => {
      const name = `{${place.lockName()}}:a{b`
      const holdfast = place.holdfast()
      await holdfast.fencedLock(name).acquire()
      await holdfast.readWriteLock(name).readLock().acquire()
      const kinds = (await show('inspect', name)).map(({ kind }) => kind)
      expect(kinds).toEqual(['fenced lock', 'read-write lock'])
      const listed = (await show('ls', name)).map(({ kind, name }) => ({ kind, name }))
      expect(listed).toHaveLength(2)
      expect(listed).toEqual(expect.arrayContaining(kinds.map((kind) => ({ kind, name }))))
      const odd = `${place.lockName()}}{`
      const semaphore = holdfast.semaphore(odd)
      await semaphore.trySetPermits(1)
      await semaphore.acquire()
      expect(await show('ls', odd)).toMatchObject([{ name: odd, kind: 'semaphore' }])
    })
  })
}
