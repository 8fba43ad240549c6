import { describe, expect, it } from 'vitest'
import { printable } from '../../src/base/identity/printable.js'
import { parseSeconds } from '../../src/cli/seconds.js'
import { timeText } from '../../src/cli/time-text.js'

describe('times', () => {
  it.each([
    ['0', 0],
    ['5', 5_000],
    ['0.25', 250],
    ['.5', 500],
    ['1.', 1_000],
    ['0.3', 300],
    ['1.005', 1_005],
    ['0.0001', 1],
  ])('%s seconds', (text, ms) => expect(parseSeconds(text)).toBe(ms))

  it.each(['', '-1', '+1', '1e3', '0x10', ' 1', '1s', 'Infinity', '.', '99999999999999999'])(
    '"%s" is refused',
    (text) => expect(() => parseSeconds(text)).toThrow(/seconds/),
  )

  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [29_340, '29.3 s'],
    [59_960, '1 min'],
    [61_000, '1 min 1 s'],
    [3_600_000, '1 h'],
    [90_061_000, '1 d 1 h'],
    [Number.POSITIVE_INFINITY, 'no end'],
  ])('%d ms are shown as %s', (ms, text) => expect(timeText(ms)).toBe(text))
})

describe('texts for a terminal', () => {
  it('keep what can be seen and show the rest as codes', () => {
    expect(printable('ünï 日本 🔒 {a}')).toBe('ünï 日本 🔒 {a}')
    expect(printable('\u001b[31m\r\n\t\u0000\u009b\u200b\u2028')).toBe(
      '\\u{1b}[31m\\u{d}\\u{a}\\u{9}\\u{0}\\u{9b}\\u{200b}\\u{2028}',
    )
  })
})
