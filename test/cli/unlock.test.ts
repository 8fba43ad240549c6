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
    expect(await program.run(['unlock', '--force', '--yes', lock.name])).toEqual({
      code: 0,
      stdout,
      stderr: '',
    })
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
      const unasked = { code: 0, stdout: expect.not.stringContaining('[y/N]') }
      expect(await program.startOnTerminal(['unlock', '--force', name]).outcome).toMatchObject(unasked)
      await place.holdfast().lock(name).acquire()
      expect(await program.startOnTerminal(['unlock', '--force', '--yes', name]).outcome).toMatchObject(
        unasked,
      )
    })
  })
})
