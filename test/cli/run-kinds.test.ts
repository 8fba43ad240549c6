import { describe, expect, it } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

const untilTold = ['sh', '-c', 'echo running; read line']

describe('holdfast run --fair', () => {
  it('runs under the fair lock, which excludes plain runs', async () => {
    const name = place.lockName()
    const first = program.start(['run', name, '--fair', '--', ...untilTold])
    await first.shows('running')
    expect((await program.run(['run', name, '-n', '--', 'true'])).code).toBe(75)
    expect((await program.run(['run', name, '-n', '--fair', '--', 'true'])).code).toBe(75)
    first.child.stdin?.end('\n')
    expect((await first.outcome).code).toBe(0)
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
  for (const flag of ['--fair', '--shared', '--exclusive']) {
    it(`${flag}: the short lease of a grant is renewed, and not taken for one that ends`, async () => {
      const name = place.lockName()
      const holdfast = place.holdfast()
      const readWrite = holdfast.readWriteLock(name)
      const hold = await (flag === '--fair' ? holdfast.lock(name) : readWrite.writeLock()).acquire()
      const lock =
        { '--fair': holdfast.lock(name), '--shared': readWrite.readLock() }[flag] ?? readWrite.writeLock()
      const running = program.start(['run', name, flag, '-v', '--', ...untilTold])
      await running.says('waiting for lock')
      await hold.release()
      await running.shows('running')
      // Longer than any place in line is kept.
      await place.eventually(
        () => lock.remainingMs(),
        (remainingMs) => remainingMs > 15_000,
      )
      running.child.stdin?.end('\n')
      expect((await running.outcome).code).toBe(0)
    })
  }
})

describe('holdfast run --shared and --exclusive', () => {
  it('readers run side by side, a writer alone', async () => {
    const name = place.lockName()
    const readers = [1, 2].map(() => program.start(['run', name, '--shared', '--', ...untilTold]))
    for (const reader of readers) await reader.shows('running')
    const writer = program.start(['run', name, '-x', '-v', '--', ...untilTold])
    await writer.says('waiting for lock')
    expect((await program.run(['run', name, '-n', '--exclusive', '--', 'true'])).code).toBe(75)
    // A lock of its own: plain runs of the name do not know it.
    expect((await program.run(['run', name, '-n', '--', 'true'])).code).toBe(0)
    for (const reader of readers) reader.child.stdin?.end('\n')
    await writer.shows('running')
    const late = await program.run(['run', name, '-n', '-s', '--', 'true'])
    expect(late.code).toBe(75)
    expect(late.stderr).toContain('held by')
    writer.child.stdin?.end('\n')
    const outcomes = await Promise.all([...readers, writer].map(({ outcome }) => outcome))
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0])
  })

  it('the command sees the fencing token', async () => {
    const name = place.lockName()
    const script = 'printf %s "$HOLDFAST_FENCE"'
    const tokens = []
    for (let run = 0; run < 2; run += 1) {
      tokens.push(BigInt((await program.run(['run', name, '-x', '-c', script])).stdout))
    }
    const [first = 0n, second = 0n] = tokens
    expect(second).toBeGreaterThan(first)
    expect((await program.run(['run', name, '-c', script])).stdout).toBe('')
  })

  it('76 when a reader is forced out', async () => {
    const name = place.lockName()
    const running = program.start(['run', name, '-s', '--watchdog', '3', '--', ...untilTold])
    await running.shows('running')
    expect((await program.run(['unlock', name, '--force', '--yes'])).code).toBe(0)
    expect((await running.outcome).code).toBe(76)
  })
})

describe('holdfast run --permits', () => {
  it('takes so many permits, of as many as --of sets where none are set', async () => {
    const name = place.lockName()
    const semaphore = place.holdfast().semaphore(name)
    const running = program.start(['run', name, '--permits', '2', '--of', '3', '--', ...untilTold])
    await running.shows('running')
    expect(await semaphore.availablePermits()).toBe(1)
    // Set once, it stays.
    const other = await program.run(['run', name, '--permits', '1', '--of', '9', '-n', '--', 'true'])
    expect(other.code).toBe(0)
    const busy = await program.run(['run', name, '--permits', '2', '-n', '--', 'echo', 'ran'])
    expect({ code: busy.code, stdout: busy.stdout }).toEqual({ code: 75, stdout: '' })
    expect(busy.stderr).toContain(`semaphore "${name}" is busy`)
    running.child.stdin?.end('\n')
    expect((await running.outcome).code).toBe(0)
    expect(await semaphore.availablePermits()).toBe(3)
  })

  it('waits until enough come back', async () => {
    const name = place.lockName()
    const semaphore = place.holdfast().semaphore(name)
    await semaphore.trySetPermits(2)
    const hold = await semaphore.acquire()
    const running = program.start(['run', name, '--permits', '2', '-v', '--', 'echo', 'ran'])
    await running.says('waiting for semaphore')
    await hold.release()
    expect(await running.outcome).toMatchObject({ code: 0, stdout: 'ran\n' })
  })

  it('65: no permits were ever set, and what to do is said', async () => {
    const name = place.lockName()
    const { code, stdout, stderr } = await program.run(['run', name, '--permits', '1', '--', 'echo', 'ran'])
    expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
    expect(stderr).toContain('--of')
    expect(await place.client().call('EXISTS', name)).toBe(0)
  })

  it('65: the key holds something else', async () => {
    const name = place.lockName()
    await using _ = await place.holdfast().lock(name).acquire()
    for (const more of [[], ['--of', '3']]) {
      const { code } = await program.run(['run', name, '--permits', '1', ...more, '--', 'true'])
      expect(code).toBe(65)
    }
  })
})
