import { describe, expect, inject, it } from 'vitest'
import { ownerText } from '../../src/base/identity/label.js'
import { tidiedPlace } from '../setup/places.js'
import { jsonLines } from './json.js'
import { untilTold, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

describe('holdfast run: the command', () => {
  it('runs while the lock is held, and the lock is free afterwards', async () => {
    const lock = place.holdfast().lock(place.lockName())
    const running = await program.ready([lock.name, ...untilTold()])
    expect(await lock.isLocked()).toBe(true)
    expect((await running.goesOn()).code).toBe(0)
    expect(await lock.isLocked()).toBe(false)
  })

  it('has the standard streams of the program', async () => {
    const running = program.start(['run', place.lockName(), '--', 'sh', '-c', 'cat; echo oops >&2'])
    running.child.stdin?.end('through\n')
    expect(await running.outcome).toEqual({ code: 0, stdout: 'through\n', stderr: 'oops\n' })
  })

  it('is taken word by word: no shell, and no option of ours', async () => {
    const words = ['$HOME', 'a  b', '-n', '--json', '--', '*', '']
    const { stdout } = await program.run(['run', place.lockName(), '--', 'printf', '[%s]', ...words])
    expect(stdout).toBe(words.map((word) => `[${word}]`).join(''))
  })

  it('runs under a name that begins with a dash, given behind a -- of its own', async () => {
    const command = ['--', 'sh', '-c', 'printf %s "$HOLDFAST_LOCK"']
    const dashed = { code: 0, stdout: '-dash', stderr: '' }
    expect(await program.run(['run', '-n', '--', '-dash', ...command])).toEqual(dashed)
    expect((await program.run(['run', '--', 'true'])).code).toBe(64)
    expect((await program.run(['run', place.lockName(), '--', ''])).code).toBe(64)
    expect((await program.run(['run', place.lockName(), '--', '--', '--'])).code).toBe(127)
  })

  it('runs with a lease that ends after all times that there are', async () => {
    const name = place.lockName()
    const command = ['--', 'sh', '-c', 'printf %s "$HOLDFAST_EXPIRES_AT"']
    const { code, stdout } = await program.run(['run', name, '--lease', '9000000000000', ...command])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '+275760-09-13T00:00:00.000Z' })
    expect(await place.holdfast().lock(name).isLocked()).toBe(false)
  })

  it('goes through the shell with -c, and takes $SHELL', async () => {
    const name = place.lockName()
    const text = 'printf %s one | tr a-z A-Z'
    expect((await program.run(['run', name, '-c', text], { env: { SHELL: undefined } })).stdout).toBe('ONE')
    const echoing = await program.run(['run', name, '--command', text], { env: { SHELL: '/bin/echo' } })
    expect(echoing.stdout).toBe(`-c ${text}\n`)
  })

  it('sees the lock, its owner and the end of its lease', async () => {
    const name = `${place.lockName()} ü`
    const before = Date.now()
    const script = 'printf "%s|" "$HOLDFAST_LOCK" "$HOLDFAST_OWNER" "$HOLDFAST_EXPIRES_AT" ready; read line'
    const running = await program.ready([name, '--lease', '20', '--', 'sh', '-c', script])
    const [seenName, owner, expiresAt] = running.stdout.split('|')
    expect(seenName).toBe(name)
    expect((await place.holdfast().lock(name).inspect()).owners).toMatchObject([{ owner, holds: 1 }])
    expect(expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const endsInMs = Date.parse(expiresAt ?? '') - before
    expect(endsInMs).toBeGreaterThan(15_000)
    expect(endsInMs).toBeLessThan(40_000)
    await running.goesOn()
  })

  it('others see its --label; 64 for one that is none', async () => {
    const lock = place.holdfast().lock(place.lockName())
    const running = await program.ready([lock.name, '--label', 'nightly', ...untilTold()])
    expect((await lock.inspect()).owners).toMatchObject([{ label: 'nightly' }])
    expect((await running.goesOn()).code).toBe(0)
    const refused = { code: 64, stderr: expect.stringContaining('label') }
    expect(await program.run(['run', lock.name, '--label', 'a\nb', '--', 'true'])).toMatchObject(refused)
  })

  it.each([
    ['passes its exit code through, and says nothing', 42, '', ['sh', '-c', 'exit 42']],
    ['128+n when signal n ended the command', 128 + 9, '', ['sh', '-c', 'kill -9 $$']],
    ['127: there is no such command', 127, 'no-such-command-anywhere', ['no-such-command-anywhere']],
    ['126: the command cannot be executed', 126, '/etc/passwd', ['/etc/passwd']],
  ])('%s; the lock is free', async (_, code, says, command) => {
    const name = place.lockName()
    const outcome = await program.run(['run', name, '--', ...command])
    expect(outcome).toMatchObject({ code, stdout: '' })
    if (says === '') expect(outcome.stderr).toBe('')
    else expect(outcome.stderr).toContain(says)
    expect(await place.holdfast().lock(name).isLocked()).toBe(false)
  })
})

describe('holdfast run: the wait', () => {
  it.each(['-n', '--nonblock', '-w 0', '-w 2.5', '--wait=2', '-w 4'])(
    '75 when the lock is busy: %s',
    async (flags) => {
      const name = place.lockName()
      await using hold = await place.holdfast().lock(name).acquire()
      const outcome = await program.run(['run', name, ...flags.split(' '), '--', 'echo', 'ran'])
      expect(outcome).toMatchObject({ code: 75, stdout: '' })
      for (const told of [name, `${ownerText(hold.owner)} since 20`]) expect(outcome.stderr).toContain(told)
      expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(1)
    },
  )

  it('-w waits that long: a lock that comes free in time is taken', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().lock(name).acquire()
    const running = program.start(['run', name, '-w', '15', '-v', '--', 'echo', 'ran'])
    await running.says('waiting for lock')
    await hold.release()
    const stderr = expect.stringMatching(/got lock ".*" after \d/)
    expect(await running.outcome).toEqual({ code: 0, stdout: 'ran\n', stderr })
  })

  it('-E says what a busy lock ends with; -q says nothing', async () => {
    const name = place.lockName()
    await using _ = await place.holdfast().lock(name).acquire()
    const busy = (...flags: string[]) => program.run(['run', name, '-n', ...flags, '--', 'true'])
    expect((await busy('-E', '9')).code).toBe(9)
    expect((await busy('--conflict-exit-code', '0')).code).toBe(0)
    expect(await busy('-q')).toEqual({ code: 75, stdout: '', stderr: '' })
  })

  it('says so when it waits for the run it is part of', async () => {
    const inner = `${program.words} run "$HOLDFAST_LOCK" --url '${inject('servers').standalone.url}' -w 3 -- true`
    const { code, stderr } = await program.run(['run', place.lockName(), '-c', inner])
    expect(code).toBe(75)
    expect(stderr).toContain('the two wait for each other')
  })

  it('--key-prefix keeps names apart', async () => {
    const name = place.lockName()
    await using _ = await place.holdfast().lock(`p:${name}`).acquire()
    expect((await program.run(['run', name, '-n', '--', 'true'])).code).toBe(0)
    expect((await program.run(['run', name, '-n', '--key-prefix', 'p:', '--', 'true'])).code).toBe(75)
  })

  it('--json tells on standard error what happens, and leaves standard output alone', async () => {
    const name = place.lockName()
    const done = await program.run(['run', name, '--json', '--', 'sh', '-c', 'echo out; exit 5'])
    expect(done).toMatchObject({ code: 5, stdout: 'out\n' })
    expect(jsonLines(done.stderr)).toMatchObject([
      { event: 'acquired', lock: name, waitedMs: expect.any(Number), owner: expect.any(String) },
      { event: 'ended', lock: name, exitCode: 5 },
    ])
    await using _ = await place.holdfast().lock(name).acquire()
    const busy = await program.run(['run', name, '--json', '-n', '-E', '7', '--', 'true'])
    const error = { code: 'LOCK_TIMEOUT', lock: name, exitCode: 7, message: expect.any(String) }
    expect(jsonLines(busy.stderr)).toMatchObject([{ error }])
  })
})
