import { describe, expect, it } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { ownFolder, untilTold, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

describe('holdfast run --fair', () => {
  it('takes turns in the order of coming', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().fairLock(name).acquire()
    const file = `${await ownFolder()}/turns`
    const runs = []
    for (const turn of ['1', '2', '3']) {
      const command = ['sh', '-c', `echo ${turn} >> ${file}`]
      runs.push(program.start(['run', name, '--fair', '-v', '--', ...command]))
      await place.eventually(
        async () => Number(await place.client().call('ZCARD', `holdfast_line:{${name}}`)),
        (length) => length === runs.length,
      )
    }
    await hold.release()
    expect(await Promise.all(runs.map(async ({ outcome }) => (await outcome).code))).toEqual([0, 0, 0])
    expect((await program.run(['run', name, '-c', `cat ${file}`])).stdout).toBe('1\n2\n3\n')
  })
})

describe('holdfast run after a wait in line', () => {
  it.each(['--fair', '--shared', '--exclusive'] as const)(
    '%s: the short lease of a grant is renewed, and not taken for one that ends',
    async (flag) => {
      const name = place.lockName()
      const holdfast = place.holdfast()
      const held = flag === '--fair' ? holdfast.lock(name) : holdfast.readWriteLock(name).writeLock()
      const wanted = flag === '--shared' ? holdfast.readWriteLock(name).readLock() : held
      const hold = await held.acquire()
      const running = program.start(['run', name, flag, '-v', ...untilTold()])
      await running.says('waiting for lock')
      await hold.release()
      await running.shows('ready')
      // Longer than any place in line is kept.
      await place.eventually(async () => (await wanted.remainingMs()) > 15_000)
      expect((await running.goesOn()).code).toBe(0)
    },
  )
})

describe('holdfast run --shared and --exclusive', () => {
  it('readers run side by side, a writer alone', async () => {
    const name = place.lockName()
    const reader = () => program.ready([name, '--shared', ...untilTold()])
    const readers = [await reader(), await reader()]
    const writer = program.start(['run', name, '-x', '-v', ...untilTold()])
    await writer.says('waiting for lock')
    expect((await program.run(['run', name, '-n', '--exclusive', '--', 'true'])).code).toBe(75)
    // A lock of its own: plain runs of the name do not know it.
    expect((await program.run(['run', name, '-n', '--', 'true'])).code).toBe(0)
    for (const each of readers) expect((await each.goesOn()).code).toBe(0)
    await writer.shows('ready')
    const busy = { code: 75, stderr: expect.stringContaining('held by') }
    expect(await program.run(['run', name, '-n', '-s', '--', 'true'])).toMatchObject(busy)
    expect((await writer.goesOn()).code).toBe(0)
  })

  it('the command sees the fencing token', async () => {
    const name = place.lockName()
    const token = async (...flags: string[]) =>
      (await program.run(['run', name, ...flags, '-c', 'printf %s "$HOLDFAST_FENCE"'])).stdout
    const first = BigInt(await token('-x'))
    expect(BigInt(await token('-x'))).toBeGreaterThan(first)
    expect(await token()).toBe('')
  })

  it('76 when a reader is forced out', async () => {
    const name = place.lockName()
    const running = await program.ready([name, '-s', '--watchdog', '3', ...untilTold()])
    expect((await program.run(['unlock', name, '--force', '--yes'])).code).toBe(0)
    expect((await running.outcome).code).toBe(76)
  })
})

describe('holdfast run --permits', () => {
  it('takes so many permits, of as many as --of sets where none are set', async () => {
    const name = place.lockName()
    const semaphore = place.holdfast().semaphore(name)
    const running = await program.ready([name, '--permits', '2', '--of', '3', ...untilTold()])
    expect(await semaphore.availablePermits()).toBe(1)
    // Set once, it stays.
    expect((await program.run(['run', name, '--permits', '1', '--of', '9', '-n', '--', 'true'])).code).toBe(0)
    expect(await program.run(['run', name, '--permits', '2', '-n', '--', 'echo', 'ran'])).toEqual({
      ...{ code: 75, stdout: '' },
      stderr: expect.stringContaining(`semaphore "${name}" is busy`),
    })
    expect((await running.goesOn()).code).toBe(0)
    expect(await semaphore.availablePermits()).toBe(3)
  })

  it('65: no permits were ever set, and what to do is said', async () => {
    const name = place.lockName()
    const unset = { code: 65, stdout: '', stderr: expect.stringContaining('--of') }
    expect(await program.run(['run', name, '--permits', '1', '--', 'echo', 'ran'])).toEqual(unset)
    expect(await place.client().call('EXISTS', name)).toBe(0)
  })

  it('65: the key holds something else', async () => {
    const name = place.lockName()
    await using _ = await place.holdfast().lock(name).acquire()
    for (const more of [[], ['--of', '3']])
      expect((await program.run(['run', name, '--permits', '1', ...more, '--', 'true'])).code).toBe(65)
  })
})

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
    const words = ['--url', `sqlite:${await ownFolder()}/locks.db`, ...once(place.lockName())]
    expect(await program.run(words)).toMatchObject({ code: 0, stdout: 'ran\n' })
    expect(await program.run(words)).toMatchObject({ code: 0, stdout: '' })
  })

  it('frees the lock at once after a command that took longer', async () => {
    const name = place.lockName()
    expect((await program.run(['run', name, '--at-least', '0.05', '--', 'sleep', '0.2'])).code).toBe(0)
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
