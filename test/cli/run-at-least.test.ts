/** `holdfast run --at-least`: one run per fleet and fire time (rule J2), from crontabs whose machines' clocks differ. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

/** Runs once a minute at the most, and says nothing of the others. */
const once = (name: string) => ['run', name, '-n', '-E', '0', '-q', '--at-least', '60', '--', 'echo', 'ran']

describe('holdfast run --at-least', () => {
  it('J2: keeps the lock after a command that ended sooner, and skips the runs of clocks that are behind', async () => {
    const name = place.lockName()
    expect(await program.run(once(name))).toEqual({ code: 0, stdout: 'ran\n', stderr: '' })
    expect(await program.run(once(name))).toEqual({ code: 0, stdout: '', stderr: '' })
    const leftMs = await place.holdfast().lock(name).remainingMs()
    expect(leftMs).toBeGreaterThan(30_000)
    expect(leftMs).toBeLessThanOrEqual(60_000)
  })

  it('J2: also with locks in a file of this machine, where the process that held it is known to have ended', async () => {
    const name = place.lockName()
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-at-least-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const words = ['--url', `sqlite:${join(folder, 'locks.db')}`, ...once(name)]
    expect(await program.run(words)).toMatchObject({ code: 0, stdout: 'ran\n' })
    expect(await program.run(words)).toMatchObject({ code: 0, stdout: '' })
  })

  it('frees the lock at once after a command that took longer', async () => {
    const name = place.lockName()
    const words = ['run', name, '--at-least', '0.05', '--', 'sleep', '0.2']
    expect((await program.run(words)).code).toBe(0)
    expect(await place.holdfast().lock(name).isLocked()).toBe(false)
  })

  it('is refused beside kinds that cannot keep it, and where it is more than --lease', async () => {
    for (const more of [['--shared'], ['--exclusive'], ['--permits', '1'], ['--lease', '30']]) {
      const words = ['run', 'x', '--at-least', '60', ...more, '--', 'echo', 'ran']
      const { code, stdout } = await program.run(words)
      expect({ code, stdout }, more.join(' ')).toEqual({ code: 64, stdout: '' })
    }
  })
})
