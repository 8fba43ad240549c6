import { describe, expect, it } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { jsonLines } from './json.js'
import { canMakeTerminals, useProgram } from './program.js'
import { shownAs } from './shown-as.js'

const program = useProgram()
const place = tidiedPlace('standalone')

async function unlock(name: string, ...more: string[]): Promise<Record<string, unknown>> {
  const { code, stdout } = await program.run(['unlock', '--force', '--yes', '--json', name, ...more])
  expect(code).toBe(0)
  return { ...jsonLines(stdout)[0] }
}

describe('holdfast unlock, kind by kind', () => {
  it('read-write lock: the readers go, and the writer who waited stays', async () => {
    const name = place.lockName()
    const read = await place.holdfast().readWriteLock(name).readLock().acquire()
    const writer = place.holdfast()
    const waiting = new Promise((resolve) => writer.once('waiting', resolve))
    const next = writer.readWriteLock(name).writeLock().acquire()
    await waiting
    expect(await unlock(name)).toMatchObject({
      kind: 'read-write lock',
      unlocked: true,
      owners: [expect.objectContaining({ owner: read.owner, holds: 1 })],
    })
    const write = await next
    expect(await writer.readWriteLock(name).writeLock().isHeld(write.owner)).toBe(true)
    await write.release()
  })

  it('read-write lock: one that writes and reads loses both', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    const { readLock, writeLock } = {
      readLock: holdfast.readWriteLock(name).readLock(),
      writeLock: holdfast.readWriteLock(name).writeLock(),
    }
    const owner = holdfast.owner()
    await writeLock.acquire({ owner })
    await readLock.acquire({ owner })
    await unlock(name)
    expect([await writeLock.isLocked(), await readLock.isLocked()]).toEqual([false, false])
  })

  it('semaphores: what is held comes back', async () => {
    const [plain, expirable] = [place.lockName(), place.lockName()]
    const holdfast = place.holdfast()
    const semaphore = holdfast.semaphore(plain)
    await semaphore.trySetPermits(4)
    await semaphore.acquire({ permits: 3 })
    expect(await unlock(plain)).toMatchObject({ kind: 'semaphore', unlocked: true, owners: [{ holds: 3 }] })
    expect(await semaphore.availablePermits()).toBe(4)
    const permits = holdfast.permitExpirableSemaphore(expirable)
    await permits.trySetPermits(2)
    await permits.acquire({ permits: 2 })
    expect(await unlock(expirable)).toMatchObject({ kind: 'permit-expirable semaphore', unlocked: true })
    expect(await permits.availablePermits()).toBe(2)
  })

  it('a number is opened only as the latch that the user says it is', async () => {
    const name = place.lockName()
    const latch = place.holdfast().countDownLatch(name)
    await latch.trySetCount(2)
    const refused = await program.run(['unlock', '--force', '--yes', name])
    expect(refused.code).toBe(64)
    expect(refused.stderr).toContain('--kind latch')
    expect(await latch.count()).toBe(2)
    // A semaphore of which nobody holds permits is free.
    expect(await unlock(name, '--kind', 'semaphore')).toMatchObject({ unlocked: false })
    expect(await latch.count()).toBe(2)
    expect(await unlock(name, '--kind', 'latch')).toMatchObject({ kind: 'count-down latch', unlocked: true })
    expect(await latch.count()).toBe(0)
  })

  it('two locks of one name: says so, and frees the one that is named', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    await holdfast.lock(name).acquire()
    const write = await holdfast.readWriteLock(name).writeLock().acquire()
    const both = await program.run(['unlock', '--force', '--yes', name])
    expect(both.code).toBe(64)
    expect(both.stderr).toContain('lock, read-write')
    await unlock(name, '--kind', 'lock')
    expect(await holdfast.lock(name).isLocked()).toBe(false)
    expect(await holdfast.readWriteLock(name).writeLock().isHeld(write.owner)).toBe(true)
    await write.release()
  })

  it.skipIf(!canMakeTerminals)('frees no reader that came after the question', async () => {
    const name = place.lockName()
    const lock = place.holdfast().readWriteLock(name).readLock()
    const shown = await lock.acquire()
    const running = program.startOnTerminal(['unlock', '--force', name])
    await running.shows('[y/N]')
    const late = await lock.acquire()
    running.child.stdin?.write('y\r')
    const { code, stdout } = await running.outcome
    expect(code).toBe(75)
    expect(stdout).toMatch(new RegExp(shownAs(late.owner, 'read, since .+Z')))
    for (const hold of [shown, late]) await hold.release()
  })
})

describe('holdfast watch, kind by kind', () => {
  it('tells each change of permits, readers and lines', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    const semaphore = holdfast.semaphore(name)
    await semaphore.trySetPermits(3)
    const running = program.start(['watch', name, '--interval', '0.05'])
    await running.shows(/3: permits available/)
    const hold = await semaphore.acquire({ permits: 2 })
    await running.shows(new RegExp(`held by ${shownAs(hold.owner, '2 permits')} .* 1 available`))
    await hold.release()
    const lock = holdfast.readWriteLock(name)
    const read = await lock.readLock().acquire()
    await running.shows(new RegExp(`held by ${shownAs(read.owner, 'read, since .+Z')}`))
    await read.release()
    const write = await lock.writeLock().acquire()
    await running.shows(new RegExp(`held by ${shownAs(write.owner, 'write, since .+Z')} .* fence \\d+`))
    running.child.kill('SIGINT')
    expect((await running.outcome).code).toBe(0)
    await write.release()
  })
})
