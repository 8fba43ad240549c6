import { describe, expect, it } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { untilTold, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

describe('holdfast run --fair', () => {
  it('runs under the fair lock, which excludes plain runs', async () => {
    const name = place.lockName()
    const first = await program.ready([name, '--fair', ...untilTold()])
    for (const flags of [['-n'], ['-n', '--fair']])
      expect((await program.run(['run', name, ...flags, '--', 'true'])).code).toBe(75)
    expect((await first.goesOn()).code).toBe(0)
  })

  it('takes turns in the order of coming', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().fairLock(name).acquire()
    const file = `/tmp/holdfast-cli-fair-${process.pid}-${Date.now()}`
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
    const codes = await Promise.all(runs.map(async ({ outcome }) => (await outcome).code))
    expect(codes).toEqual([0, 0, 0])
    expect((await program.run(['run', name, '-c', `cat ${file}; rm ${file}`])).stdout).toBe('1\n2\n3\n')
  })
})

describe('holdfast run after a wait in line', () => {
  it.each(['--fair', '--shared', '--exclusive'] as const)(
    '%s: the short lease of a grant is renewed, and not taken for one that ends',
    async (flag) => {
      const name = place.lockName()
      const holdfast = place.holdfast()
      const [plain, readWrite] = [holdfast.lock(name), holdfast.readWriteLock(name)]
      const [held, wanted] = (
        {
          '--fair': [plain, plain],
          '--shared': [readWrite.writeLock(), readWrite.readLock()],
          '--exclusive': [readWrite.writeLock(), readWrite.writeLock()],
        } as const
      )[flag]
      const hold = await held.acquire()
      const running = program.start(['run', name, flag, '-v', ...untilTold()])
      await running.says('waiting for lock')
      await hold.release()
      await running.shows('ready')
      // Longer than any place in line is kept.
      await place.eventually(
        () => wanted.remainingMs(),
        (remainingMs) => remainingMs > 15_000,
      )
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
    const other = await program.run(['run', name, '--permits', '1', '--of', '9', '-n', '--', 'true'])
    expect(other.code).toBe(0)
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
