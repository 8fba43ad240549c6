import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import * as scripts from '../../../src/redis/scripts/scripts.generated.js'
import { nemeses } from '../nemeses/catalogue.js'
import { mutants } from './catalogue.js'
import { mutated } from './mutate.js'

const root = new URL('../../../', import.meta.url)
const unchanged = mutated({ name: 'none', text: '', becomes: '' }, [])

describe.each(mutants)('$name', (mutant) => {
  test('its text is in the library, once in each place', async () => {
    if ('scripts' in mutant.in) {
      expect(mutated(mutant, mutant.in.scripts)).not.toBe(unchanged)
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
  const { sha1, parts } = scripts.renew
  expect(unchanged).toContain(sha1)
  const changed = mutated({ name: 'm', text: 'return 0', becomes: 'return 1' }, ['renew.lua'])
  expect(changed).not.toContain(sha1)
  expect(changed).toContain(JSON.stringify(parts.join('').replace('return 0', 'return 1')))
})

test('a text that is not there, or twice, is an error', () => {
  const none = { name: 'm', text: 'no such text', becomes: '' }
  expect(() => mutated(none, ['renew.lua'])).toThrow('occurs 0 times')
  expect(() => mutated({ ...none, text: 'redis.call' }, ['renew.lua'])).toThrow('not once')
  expect(() => mutated(none, ['no-such.lua'])).toThrow('there is no no-such.lua')
})
