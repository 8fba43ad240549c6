import { describe, expect, test } from 'vitest'
import { matchesGlob } from '../../src/stores/rows/glob.js'

describe('matchesGlob, as Redis matches', () => {
  test.each([
    ['*', 'anything: {at} all\nyes'],
    ['invoice:*', 'invoice:42'],
    ['invoice:*', 'invoice:'],
    ['*:42', 'invoice:42'],
    ['a*b*c', 'a--b--b--c'],
    ['h?llo', 'hello'],
    ['h?llo', 'h\nllo'],
    ['?', '🔒'],
    ['h[ae]llo', 'hallo'],
    ['h[a-c]llo', 'hbllo'],
    ['h[c-a]llo', 'hbllo'],
    ['h[^e]llo', 'hallo'],
    ['[\\]]', ']'],
    ['a\\*b', 'a*b'],
    ['a\\?b', 'a?b'],
    ['a\\[b', 'a[b'],
    ['(a|b)+$^.', '(a|b)+$^.'],
    ['{tag}:x', '{tag}:x'],
  ])('%j takes %j', (glob, text) => {
    expect(matchesGlob(glob, text)).toBe(true)
  })

  test.each([
    ['invoice', 'invoice:42'],
    ['invoice:?', 'invoice:42'],
    ['h[ae]llo', 'hillo'],
    ['h[^e]llo', 'hello'],
    ['a\\*b', 'axb'],
    ['.', 'x'],
    ['a*b', 'a--c'],
    ['', 'x'],
    ['a+', 'aaa'],
    ['A', 'a'],
  ])('%j does not take %j', (glob, text) => {
    expect(matchesGlob(glob, text)).toBe(false)
  })

  test('many stars take no longer than one', () => {
    expect(matchesGlob(`${'*a'.repeat(40)}b`, 'a'.repeat(10_000))).toBe(false)
    expect(matchesGlob(`${'*a'.repeat(40)}*b`, `${'a'.repeat(10_000)}b`)).toBe(true)
  })
})
