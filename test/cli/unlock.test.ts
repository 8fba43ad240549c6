import { describe, expect, it } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { jsonLines } from './json.js'
import { canMakeTerminals, useProgram } from './program.js'
import { shownAs } from './shown-as.js'

const program = useProgram()
const place = tidiedPlace('standalone')

describe('holdfast unlock', () => {
  it('--force --yes frees the lock, wakes who waits, and says who held it', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().lock(name).acquire()
    const waiter = place.holdfast()
    const waiting = new Promise((resolve) => waiter.once('waiting', resolve))
    const next = waiter.lock(name).acquire({ waitMs: 15_000 })
    await waiting
    const { code, stdout, stderr } = await program.run(['unlock', '--force', '--yes', name])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(shownAs(hold.owner, 'since .+Z')))
    await (await next).release()
  })

  it('--json tells whether it was held, and by whom', async () => {
    const name = place.lockName()
    const { owner } = await place.holdfast().lock(name).acquire()
    const args = ['unlock', '--force', '--yes', '--json', name]
    expect(jsonLines((await program.run(args)).stdout)).toEqual([
      { name, kind: 'lock', unlocked: true, owners: [expect.objectContaining({ owner, holds: 1 })] },
    ])
    const again = await program.run(args)
    expect(again.code).toBe(0)
    expect(jsonLines(again.stdout)).toEqual([{ name, kind: null, unlocked: false, owners: [] }])
  })

  it('64 without a terminal and without --yes; the lock stays', async () => {
    const name = place.lockName()
    const lock = place.holdfast().lock(name)
    await lock.acquire()
    const { code, stderr } = await program.run(['unlock', '--force', name])
    expect(code).toBe(64)
    expect(stderr).toContain('--yes')
    expect(await lock.isLocked()).toBe(true)
  })

  describe.skipIf(!canMakeTerminals)('on a terminal', () => {
    for (const [answer, exitCode, stays] of [
      ['y\r', 0, false],
      ['YES\r', 0, false],
      ['n\r', 1, true],
      ['\r', 1, true],
      ['\u0004', 1, true],
      ['\u0003', 130, true],
    ] as const) {
      it(`asks, and takes ${JSON.stringify(answer)} for ${stays ? 'no' : 'yes'}`, async () => {
        const name = place.lockName()
        const lock = place.holdfast().lock(name)
        const hold = await lock.acquire()
        const running = program.startOnTerminal(['unlock', '--force', name])
        await running.shows('[y/N]')
        expect(running.stdout).toMatch(new RegExp(shownAs(hold.owner, 'since .+Z')))
        running.child.stdin?.write(answer)
        expect((await running.outcome).code).toBe(exitCode)
        expect(await lock.isLocked()).toBe(stays)
      })
    }

    it('frees no other holder than the one that was shown', async () => {
      const name = place.lockName()
      const lock = place.holdfast().lock(name)
      const first = await lock.acquire()
      const running = program.startOnTerminal(['unlock', '--force', name])
      await running.shows('[y/N]')
      await first.release()
      const second = await lock.acquire()
      running.child.stdin?.write('y\r')
      const { code, stdout } = await running.outcome
      expect(code).toBe(75)
      expect(stdout).toMatch(new RegExp(shownAs(second.owner, 'since .+Z')))
      second.assertHeld()
      await second.release()
    })

    it('does not ask about a free lock, nor with --yes', async () => {
      const name = place.lockName()
      const free = await program.startOnTerminal(['unlock', '--force', name]).outcome
      expect(free.code).toBe(0)
      expect(free.stdout).not.toContain('[y/N]')
      await place.holdfast().lock(name).acquire()
      const sure = await program.startOnTerminal(['unlock', '--force', '--yes', name]).outcome
      expect(sure.code).toBe(0)
      expect(sure.stdout).not.toContain('[y/N]')
    })
  })
})
