import { expect, test } from 'vitest'
import { ShortLua } from '../../scripts/lua-short.js'

/** Without the line that names what scripts are given. */
function shortened(text: string): string {
  return new ShortLua([text]).shorten(text)
}

test('variables, parameters and fields get short names, each the same everywhere', () => {
  const text = 'local function of(place)\nlocal it = { looks = place }\nreturn it.looks\nend\n'
  expect(shortened(text)).toBe('local function d(a)local b={c=a}return b.c\nend\n')
})

test('texts stay, and what the server gives keeps its name unless it has a local one', () => {
  const text = "local lock = KEYS[1]\nif lock == 'lock' then\nreturn redis.call('GET', lock).err\nend\n"
  expect(shortened(text)).toBe("local a=KEYS[1]if a=='lock'then\nreturn b('GET',a).err\nend\n")
})

test('minus signs and numbers stay apart', () =>
  expect(shortened('return 1 - -1, 0.5 .. 2\n')).toBe('return 1- -1,0.5 ..2\n'))
