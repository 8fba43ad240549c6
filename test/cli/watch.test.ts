import { describe, expect, it } from 'vitest'
import { fitting, rowsOf } from '../../src/cli/screen.js'
import { tidiedPlace } from '../setup/places.js'
import { canMakeTerminals, jsonLines, ownServer, type Running, shownAs, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

const ESC = '\u001b'
const fast = ['--interval', '0.05']

/** Watches a lock that is free. */
async function watching(name = place.lockName(), url?: string): Promise<Running> {
  const running = program.start(['watch', name, ...fast], url === undefined ? {} : { url })
  await running.shows(/free .*\n/)
  return running
}

describe('holdfast watch', () => {
  it('writes one line for each change, and ends with 0 at Ctrl-C', async () => {
    const name = place.lockName()
    const lock = place.holdfast().lock(name)
    const running = await watching(name)
    const hold = await lock.acquire()
    await running.shows(new RegExp(`held by ${shownAs(hold.owner, 'since .+Z')} .*\n`))
    await hold.release()
    await running.shows(/free .*\n.*held .*\n.*free .*\n/)
    const { code, stdout, stderr } = await running.endsBy('SIGINT')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n')).toHaveLength(3)
    expect(stdout).not.toContain(ESC)
  })

  it('--json and --count: as many lines as asked for, with the time', async () => {
    const name = place.lockName()
    const lock = place.holdfast().lock(name)
    const running = program.start(['watch', name, ...fast, '--json', '--count', '2'])
    await running.shows('\n')
    const { owner } = await lock.acquire()
    const { code, stdout } = await running.outcome
    expect(code).toBe(0)
    const line = { at: expect.stringMatching(/Z$/), name, waitingClients: 0 }
    const owners = [expect.objectContaining({ owner, holds: 1 })]
    expect(jsonLines(stdout)).toEqual([
      { ...line, kind: null, locked: false, owners: [], remainingMs: 0 },
      { ...line, kind: 'lock', locked: true, owners, remainingMs: expect.any(Number) },
    ])
  })

  it('ends with 128+n at TERM', async () =>
    expect((await (await watching()).endsBy('SIGTERM')).code).toBe(143))

  it('ends quietly when nobody reads any more', async () => {
    const name = place.lockName()
    const running = await watching(name)
    running.child.stdout?.destroy()
    const lock = place.holdfast().lock(name)
    for (let over = false; !over; ) {
      const hold = await lock.acquire()
      over = await Promise.race([running.outcome.then(() => true), place.pass(60).then(() => false)])
      await hold.release()
    }
    expect(await running.outcome).toMatchObject({ code: 141, stderr: '' })
  })

  it('goes on when the server goes away and comes back', async () => {
    const server = await ownServer()
    const running = await watching('x', server.url)
    await server.kill()
    await running.says('does not answer')
    await server.restart({ keepData: false })
    await running.says('answers again')
    expect((await running.endsBy('SIGINT')).code).toBe(0)
  })

  it('Ctrl-C ends it though the server hangs', async () => {
    const server = await ownServer()
    const running = await watching('x', server.url)
    await server.pause()
    expect((await running.endsBy('SIGINT')).code).toBe(0)
  })

  it.skipIf(!canMakeTerminals)(
    'on a terminal it is drawn anew, in colours unless NO_COLOR is set',
    async () => {
      const name = place.lockName()
      await using _ = await place.holdfast().lock(name).acquire()
      const args = ['watch', name, ...fast, '--count', '3']
      const coloured = await program.startOnTerminal(args, { env: { TERM: 'xterm', NO_COLOR: undefined } })
        .outcome
      expect(coloured.code).toBe(0)
      expect(coloured.stdout.match(/State/g)).toHaveLength(3)
      expect(coloured.stdout).toMatch(new RegExp(`${ESC}\\[\\d+A`))
      expect(coloured.stdout).toContain(`${ESC}[33mheld`)
      const plain = await program.startOnTerminal(args, { env: { TERM: 'xterm', NO_COLOR: '1' } }).outcome
      expect(plain.stdout).not.toMatch(new RegExp(`${ESC}\\[\\d+m`))
    },
  )
})

describe('H36: the picture that watch draws over and over', () => {
  it.each([
    ['', 10, 1],
    ['a', 10, 1],
    ['0123456789', 10, 1],
    ['0123456789a', 10, 2],
    ['a\nb', 10, 2],
    ['名名名名名', 10, 1],
    ['名名名名名a', 10, 2],
    // The last column of a row stays empty where a wide character does not fit into it.
    ['a名名名名名', 10, 2],
    ['a名名名名名名名名名名', 10, 3],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 4, 1],
    ['e\u0301e\u0301e\u0301e\u0301', 4, 1],
    [`${ESC}[33m0123456789${ESC}[39m`, 10, 1],
  ])('%j on %i columns fills %i rows', (text, columns, rows) => expect(rowsOf(text, columns)).toBe(rows))

  it('is cut to what the terminal shows at once', () => {
    expect(fitting('a\nb\nc', 10, 4)).toBe('a\nb\nc')
    expect(fitting('a\nb\nc\nd', 10, 4)).toBe('a\nb\n…')
    expect(fitting('a\n名名名名名名\nc', 10, 4)).toBe('a\n…')
    expect(fitting('名名名名名名', 10, 1)).toBe('名名名名名名')
  })

  it.skipIf(!canMakeTerminals)('is drawn where the one before it was, whatever the name', async () => {
    const name = `${place.lockName()}${'錠'.repeat(40)}`
    await using _ = await place.holdfast().lock(name).acquire()
    const args = ['watch', name, '--interval', '0.05', '--count', '2']
    const setting = { env: { TERM: 'xterm', NO_COLOR: '1' }, columns: 40 }
    const { stdout } = await program.startOnTerminal(args, setting).outcome
    const [, first = '', up] = new RegExp(`^([^${ESC}]*)${ESC}\\[(\\d+)A`).exec(stdout) ?? []
    expect(Number(up)).toBe(rowsOf(first.replaceAll('\r', '').trimEnd(), 40))
    expect(Number(up)).toBeGreaterThan(first.trimEnd().split('\n').length + 2)
  })
})
