import { describe, expect, test } from 'vitest'
import * as scripts from '../../src/stores/redis/scripts/scripts.generated.js'
import { mutants } from '../chaos/mutants/catalogue.js'
import { nemeses } from '../chaos/nemeses/catalogue.js'
import { faults } from './catalogue.js'
import { mutated, textWith } from './mutate.js'

const unchanged = mutated({ name: 'none', text: '', becomes: '' }, [])

test('no two mutants have one name', () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
})

describe.each(faults)('$name', (fault) => {
  test('its text is in the library, once in each place', async () => {
    expect(await textWith(fault)).not.toBe(unchanged)
  })
})

test.each(mutants)('$name: there is such a nemesis', (mutant) => {
  expect(nemeses.map(({ name }) => name)).toContain(mutant.nemesis)
})

test('a changed script has another hash', () => {
  const { sha1, parts } = scripts.renew
  // The same text as in the library, which keeps its parts apart.
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
