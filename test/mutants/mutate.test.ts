import { describe, expect, test } from 'vitest'
import * as scripts from '../../src/redis/scripts/scripts.generated.js'
import { mutants } from '../chaos/mutants/catalogue.js'
import { nemeses } from '../chaos/nemeses/catalogue.js'
import { faults } from './catalogue.js'
import { mutated, textWith } from './mutate.js'

const unchanged = await mutated({ name: 'none', text: '', becomes: '' }, [])

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

test('a changed script has another hash', async () => {
  const { sha1, parts } = scripts.renew
  expect(unchanged).toContain(sha1)
  const changed = await mutated({ name: 'm', text: 'return 0', becomes: 'return 1' }, ['renew.lua'])
  expect(changed).not.toContain(sha1)
  expect(changed).toContain(JSON.stringify(parts.join('').replace('return 0', 'return 1')))
})

test('a text that is not there, or twice, is an error', async () => {
  const none = { name: 'm', text: 'no such text', becomes: '' }
  await expect(mutated(none, ['renew.lua'])).rejects.toThrow('occurs 0 times')
  await expect(mutated({ ...none, text: 'redis.call' }, ['renew.lua'])).rejects.toThrow('not once')
  await expect(mutated(none, ['no-such.lua'])).rejects.toThrow('there is no no-such.lua')
})
