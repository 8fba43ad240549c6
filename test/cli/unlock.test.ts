import { describe, expect, it } from 'vitest'
import { untilWaiting } from '../../src/conformance/idle.js'
import { tidiedPlace } from '../setup/places.js'
import { canMakeTerminals, shownAs, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

describe('holdfast unlock', () => {
  it('--force --yes frees the lock, wakes who waits, and says who held it', async () => {
    const lock = place.holdfast().lock(place.lockName())
    const hold = await lock.acquire()
    const next = place.holdfast().lock(lock.name).acquire({ waitMs: 15_000 })
    await untilWaiting(place, lock, 1)
    const stdout = expect.stringMatching(shownAs(hold.owner, 'since .+Z'))
    const args = ['unlock', '--force', '--yes', lock.name]
    expect(await program.run(args)).toEqual({ code: 0, stdout, stderr: '' })
    await (await next).release()
  })

  it('--json tells whether it was held, and by whom', async () => {
    const name = place.lockName()
    const { owner } = await place.holdfast().lock(name).acquire()
    const args = ['unlock', '--force', '--yes', name]
    expect(await program.json(args)).toEqual([
      { name, kind: 'lock', unlocked: true, owners: [expect.objectContaining({ owner, holds: 1 })] },
    ])
    expect(await program.json(args)).toEqual([{ name, kind: null, unlocked: false, owners: [] }])
  })

  it('64 without a terminal and without --yes; the lock stays', async () => {
    const lock = place.holdfast().lock(place.lockName())
    await lock.acquire()
    const refused = { code: 64, stderr: expect.stringContaining('--yes') }
    expect(await program.run(['unlock', '--force', lock.name])).toMatchObject(refused)
    expect(await lock.isLocked()).toBe(true)
  })

  describe.skipIf(!canMakeTerminals)('on a terminal', () => {
    it.each([
      ['y\r', 'yes', 0],
      ['YES\r', 'yes', 0],
      ['n\r', 'no', 1],
      ['\r', 'no', 1],
      ['\u0004', 'no', 1],
      ['\u0003', 'no', 130],
    ])('asks, and takes %j for %s', async (answer, means, exitCode) => {
      const lock = place.holdfast().lock(place.lockName())
      const hold = await lock.acquire()
      const running = program.startOnTerminal(['unlock', '--force', lock.name])
      await running.shows('[y/N]')
      expect(running.stdout).toMatch(new RegExp(shownAs(hold.owner, 'since .+Z')))
      running.child.stdin?.write(answer)
      expect((await running.outcome).code).toBe(exitCode)
      expect(await lock.isLocked()).toBe(means === 'no')
    })

    it('frees no other holder than the one that was shown', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const first = await lock.acquire()
      const running = program.startOnTerminal(['unlock', '--force', lock.name])
      await running.shows('[y/N]')
      await first.release()
      const second = await lock.acquire()
      running.child.stdin?.write('y\r')
      const stdout = expect.stringMatching(shownAs(second.owner, 'since .+Z'))
      expect(await running.outcome).toMatchObject({ code: 75, stdout })
      second.assertHeld()
      await second.release()
    })

    it('does not ask about a free lock, nor with --yes', async () => {
      const name = place.lockName()
      const quiet = { code: 0, stdout: expect.not.stringContaining('[y/N]') }
      expect(await program.startOnTerminal(['unlock', '--force', name]).outcome).toMatchObject(quiet)
      await place.holdfast().lock(name).acquire()
      expect(await program.startOnTerminal(['unlock', '--force', '--yes', name]).outcome).toMatchObject(quiet)
    })
  })
})

const unlock = (name: string, ...more: string[]) =>
  program.json(['unlock', '--force', '--yes', name, ...more])

describe('holdfast unlock, kind by kind', () => {
  it('read-write lock: the readers go, and the writer who waited stays', async () => {
    const name = place.lockName()
    const { owner } = await place.holdfast().readWriteLock(name).readLock().acquire()
    const writeLock = place.holdfast().readWriteLock(name).writeLock()
    const next = writeLock.acquire()
    await untilWaiting(place, writeLock, 1)
    const owners = [expect.objectContaining({ owner, holds: 1 })]
    expect(await unlock(name)).toMatchObject([{ kind: 'read-write lock', unlocked: true, owners }])
    const write = await next
    expect(await writeLock.isHeld(write.owner)).toBe(true)
    await write.release()
  })

  it('read-write lock: one that writes and reads loses both', async () => {
    const holdfast = place.holdfast()
    const both = holdfast.readWriteLock(place.lockName())
    const owner = holdfast.owner()
    for (const lock of [both.writeLock(), both.readLock()]) await lock.acquire({ owner })
    await unlock(both.name)
    expect([await both.writeLock().isLocked(), await both.readLock().isLocked()]).toEqual([false, false])
  })

  it('semaphores: what is held comes back', async () => {
    const holdfast = place.holdfast()
    const semaphore = holdfast.semaphore(place.lockName())
    await semaphore.trySetPermits(4)
    await semaphore.acquire({ permits: 3 })
    const freed = { kind: 'semaphore', unlocked: true, owners: [{ holds: 3 }] }
    expect(await unlock(semaphore.name)).toMatchObject([freed])
    expect(await semaphore.availablePermits()).toBe(4)
    const expirable = holdfast.permitExpirableSemaphore(place.lockName())
    await expirable.trySetPermits(2)
    await expirable.acquire({ permits: 2 })
    const kind = 'permit-expirable semaphore'
    expect(await unlock(expirable.name)).toMatchObject([{ kind, unlocked: true }])
    expect(await expirable.availablePermits()).toBe(2)
  })

  it('a number is opened only as the latch that the user says it is', async () => {
    const latch = place.holdfast().countDownLatch(place.lockName())
    await latch.trySetCount(2)
    const refused = { code: 64, stderr: expect.stringContaining('--kind latch') }
    expect(await program.run(['unlock', '--force', '--yes', latch.name])).toMatchObject(refused)
    // A semaphore of which nobody holds permits is free.
    expect(await unlock(latch.name, '--kind', 'semaphore')).toMatchObject([{ unlocked: false }])
    expect(await latch.count()).toBe(2)
    const opened = { kind: 'count-down latch', unlocked: true }
    expect(await unlock(latch.name, '--kind', 'latch')).toMatchObject([opened])
    expect(await latch.count()).toBe(0)
  })

  it('two locks of one name: says so, and frees the one that is named', async () => {
    const lock = place.holdfast().lock(place.lockName())
    await lock.acquire()
    const writeLock = place.holdfast().readWriteLock(lock.name).writeLock()
    const write = await writeLock.acquire()
    const refused = { code: 64, stderr: expect.stringContaining('lock, read-write') }
    expect(await program.run(['unlock', '--force', '--yes', lock.name])).toMatchObject(refused)
    await unlock(lock.name, '--kind', 'lock')
    expect(await lock.isLocked()).toBe(false)
    expect(await writeLock.isHeld(write.owner)).toBe(true)
    await write.release()
  })

  it.skipIf(!canMakeTerminals)('frees no reader that came after the question', async () => {
    const lock = place.holdfast().readWriteLock(place.lockName()).readLock()
    const shown = await lock.acquire()
    const running = program.startOnTerminal(['unlock', '--force', lock.name])
    await running.shows('[y/N]')
    const late = await lock.acquire()
    running.child.stdin?.write('y\r')
    const stdout = expect.stringMatching(shownAs(late.owner, 'read, since .+Z'))
    expect(await running.outcome).toMatchObject({ code: 75, stdout })
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
    expect((await running.endsBy('SIGINT')).code).toBe(0)
    await write.release()
  })
})
