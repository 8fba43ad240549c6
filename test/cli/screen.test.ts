import { describe, expect, it } from 'vitest'
import { fitting, rowsOf } from '../../src/cli/screen.js'
import { tidiedPlace } from '../setup/places.js'
import { canMakeTerminals, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

const ESC = '\u001b'

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
  ])('%j on %i columns fills %i rows', (text, columns, rows) => {
    expect(rowsOf(text, columns)).toBe(rows)
  })

  it('is cut to what the terminal shows at once', () => {
    expect(fitting('a\nb\nc', 10, 4)).toBe('a\nb\nc')
    expect(fitting('a\nb\nc\nd', 10, 4)).toBe('a\nb\n…')
    expect(fitting('a\n名名名名名名\nc', 10, 4)).toBe('a\n…')
    expect(fitting('名名名名名名', 10, 1)).toBe('名名名名名名')
  })

  it.skipIf(!canMakeTerminals)('is drawn where the one before it was, whatever the name', async () => {
    const name = `${place.lockName()}${'錠'.repeat(40)}`
    await using _ = await place.holdfast().lock(name).acquire()
    const size = { columns: 40, rows: 24 }
    const args = ['watch', name, '--interval', '0.05', '--count', '2']
    const { stdout } = await program.startOnTerminal(args, { env: { TERM: 'xterm', NO_COLOR: '1' }, ...size })
      .outcome
    const [, first = '', up] = new RegExp(`^([^${ESC}]*)${ESC}\\[(\\d+)A`).exec(stdout) ?? []
    expect(Number(up)).toBe(rowsOf(first.replaceAll('\r', '').trimEnd(), size.columns))
    expect(Number(up)).toBeGreaterThan(first.trimEnd().split('\n').length + 2)
  })
})
