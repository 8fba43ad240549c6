import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import * as scripts from '../../../src/redis/scripts/scripts.generated.js'
import { nemeses } from '../nemeses/catalogue.js'
import { mutants } from './catalogue.js'
import { mutated } from './mutate.js'

const root = new URL('../../../', import.meta.url)
const module = await readFile(new URL('src/redis/scripts/scripts.generated.ts', root), 'utf8')

describe.each(mutants)('$name', (mutant) => {
  test('its text is in the library, once in each place', async () => {
    if ('scripts' in mutant.in) {
      expect(mutated(module, mutant, mutant.in.scripts)).not.toBe(module)
    } else {
      const source = await readFile(new URL(mutant.in.source, root), 'utf8')
      expect(source.split(mutant.text)).toHaveLength(2)
    }
  })

  test('there is such a nemesis', () => {
    expect(nemeses.map(({ name }) => name)).toContain(mutant.nemesis)
  })
})

test('a changed script has another hash', () => {
  const { sha1, source } = scripts.renew
  const changed = mutated(module, { name: 'm', text: 'return 0', becomes: 'return 1' }, ['renew.lua'])
  expect(changed).not.toContain(sha1)
  expect(changed).toContain(JSON.stringify(source.replace('return 0', 'return 1')))
})

test('a text that is not there, or twice, is an error', () => {
  const none = { name: 'm', text: 'no such text', becomes: '' }
  expect(() => mutated(module, none, ['renew.lua'])).toThrow('occurs 0 times')
  expect(() => mutated(module, { ...none, text: 'redis.call' }, ['renew.lua'])).toThrow('not once')
  expect(() => mutated(module, none, ['no-such.lua'])).toThrow('there is no no-such.lua')
})
