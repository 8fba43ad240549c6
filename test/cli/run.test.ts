import { describe, expect, inject, it } from 'vitest'
import { ownerText } from '../../src/base/identity/label.js'
import { tidiedPlace } from '../setup/places.js'
import { jsonLines } from './json.js'
import { useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

const untilTold = ['sh', '-c', 'echo running; read line']

describe('holdfast run: the command', () => {
  it('runs while the lock is held, and the lock is free afterwards', async () => {
    const name = place.lockName()
    const lock = place.holdfast().lock(name)
    const running = program.start(['run', name, '--', ...untilTold])
    await running.shows('running')
    expect(await lock.isLocked()).toBe(true)
    running.child.stdin?.end('\n')
    expect((await running.outcome).code).toBe(0)
    expect(await lock.isLocked()).toBe(false)
  })

  it('passes its exit code through, frees the lock and says nothing', async () => {
    const name = place.lockName()
    expect(await program.run(['run', name, '--', 'sh', '-c', 'exit 42'])).toEqual({
      code: 42,
      stdout: '',
      stderr: '',
    })
    expect(await place.holdfast().lock(name).isLocked()).toBe(false)
  })

  it('ends with 128+n when signal n ended the command', async () => {
    const { code } = await program.run(['run', place.lockName(), '--', 'sh', '-c', 'kill -9 $$'])
    expect(code).toBe(128 + 9)
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
    expect(await program.run(['run', '-n', '--', '-dash', ...command])).toEqual({
      code: 0,
      stdout: '-dash',
      stderr: '',
    })
    expect((await program.run(['run', '--', 'true'])).code).toBe(64)
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
    const lock = place.holdfast().lock(name)
    const before = Date.now()
    const script = 'printf "%s|" "$HOLDFAST_LOCK" "$HOLDFAST_OWNER" "$HOLDFAST_EXPIRES_AT"; read line'
    const running = program.start(['run', name, '--lease', '20', '--', 'sh', '-c', script])
    await running.shows(/\|.*\|.*\|/)
    const [seenName, owner, expiresAt] = running.stdout.split('|')
    expect(seenName).toBe(name)
    expect((await lock.inspect()).owners).toMatchObject([{ owner, holds: 1 }])
    expect(expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const endsInMs = Date.parse(expiresAt ?? '') - before
    expect(endsInMs).toBeGreaterThan(15_000)
    expect(endsInMs).toBeLessThan(40_000)
    running.child.stdin?.end('\n')
    await running.outcome
  })

  it('others see its --label; 64 for one that is none', async () => {
    const lock = place.holdfast().lock(place.lockName())
    const running = program.start(['run', lock.name, '--label', 'nightly', '--', ...untilTold])
    await running.shows('running')
    expect((await lock.inspect()).owners).toMatchObject([{ label: 'nightly' }])
    running.child.stdin?.end('\n')
    expect((await running.outcome).code).toBe(0)
    const refused = await program.run(['run', lock.name, '--label', 'a\nb', '--', 'true'])
    expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('label') })
  })

  it('127: there is no such command; the lock is free', async () => {
    const name = place.lockName()
    const { code, stderr } = await program.run(['run', name, '--', 'no-such-command-anywhere'])
    expect(code).toBe(127)
    expect(stderr).toContain('no-such-command-anywhere')
    expect(await place.holdfast().lock(name).isLocked()).toBe(false)
  })

  it('126: the command cannot be executed; the lock is free', async () => {
    const name = place.lockName()
    const { code, stderr } = await program.run(['run', name, '--', '/etc/passwd'])
    expect(code).toBe(126)
    expect(stderr).toContain('/etc/passwd')
    expect(await place.holdfast().lock(name).isLocked()).toBe(false)
  })
})

describe('holdfast run: the wait', () => {
  it('many runs lose no update of a file that nothing else protects', async () => {
    const name = place.lockName()
    const script = 'n=$(cat "$FILE"); sleep 0.05; echo $((n + 1)) > "$FILE"'
    const file = `/tmp/holdfast-cli-${process.pid}-${Date.now()}`
    const env = { FILE: file }
    await program.run(['run', name, '-c', 'echo 0 > "$FILE"'], { env })
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => program.run(['run', name, '-c', script], { env })),
    )
    const { stdout } = await program.run(['run', name, '-c', 'cat "$FILE"; rm "$FILE"'], { env })
    expect(outcomes.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 0))
    expect(stdout).toBe('6\n')
  })

  for (const flags of [['-n'], ['--nonblock'], ['-w', '0'], ['-w', '0.2'], ['--wait=.2'], ['-w', '4']]) {
    it(`75 when the lock is busy: ${flags.join(' ')}`, async () => {
      const name = place.lockName()
      await using hold = await place.holdfast().lock(name).acquire()
      const { code, stdout, stderr } = await program.run(['run', name, ...flags, '--', 'echo', 'ran'])
      expect({ code, stdout }).toEqual({ code: 75, stdout: '' })
      expect(stderr).toContain(name)
      expect(stderr).toContain(ownerText(hold.owner))
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    })
  }

  it('-w waits that long: a lock that comes free in time is taken', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().lock(name).acquire()
    const running = program.start(['run', name, '-w', '15', '-v', '--', 'echo', 'ran'])
    await running.says('waiting for lock')
    await hold.release()
    const { code, stdout, stderr } = await running.outcome
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ran\n' })
    expect(stderr).toMatch(/got lock ".*" after \d/)
  })

  it('-E says what a busy lock ends with; -q says nothing', async () => {
    const name = place.lockName()
    await using _ = await place.holdfast().lock(name).acquire()
    expect((await program.run(['run', name, '-n', '-E', '9', '--', 'true'])).code).toBe(9)
    expect((await program.run(['run', name, '-n', '--conflict-exit-code', '0', '--', 'true'])).code).toBe(0)
    expect(await program.run(['run', name, '-n', '-q', '--', 'true'])).toEqual({
      code: 75,
      stdout: '',
      stderr: '',
    })
  })

  it('says so when it waits for the run it is part of', async () => {
    const name = place.lockName()
    const inner = `${program.words} run "$HOLDFAST_LOCK" --url '${inject('servers').standalone.url}' -w 0.3 -- true`
    const { code, stderr } = await program.run(['run', name, '-c', inner])
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
    expect({ code: done.code, stdout: done.stdout }).toEqual({ code: 5, stdout: 'out\n' })
    expect(jsonLines(done.stderr)).toMatchObject([
      { event: 'acquired', lock: name, waitedMs: expect.any(Number), owner: expect.any(String) },
      { event: 'ended', lock: name, exitCode: 5 },
    ])
    await using _ = await place.holdfast().lock(name).acquire()
    const busy = await program.run(['run', name, '--json', '-n', '-E', '7', '--', 'true'])
    expect(jsonLines(busy.stderr)).toMatchObject([
      { error: { code: 'LOCK_TIMEOUT', lock: name, exitCode: 7, message: expect.any(String) } },
    ])
  })
})
