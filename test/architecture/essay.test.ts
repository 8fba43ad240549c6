/** The essay of the core names the function that keeps each rule, and that function's file its rule. */
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'

const source = new URL('../../src/', import.meta.url)
const essay = await readFile(new URL('core/README.md', source), 'utf8')
const kept = [...essay.matchAll(/^\| ([OLWCX]\d) [^|]*\| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, rule = '', name = '', path = '']) => [rule, name, path] as const,
)
const files = [...essay.matchAll(/`([\w-]+(?:\/[\w-]+)*\.ts)`/g)].map(([, path = '']) => path)

test('each rule has a line', () => {
  const rules = 'O1 O2 O3 O4 O5 L1 L2 L3 L4 L5 L6 W1 W2 W3 W4 W5 W6 W7 W8 W9 C1 C2 C3 X1 X2'
  expect(kept.map(([rule]) => rule)).toEqual(rules.split(' '))
})

describe('what the essay names is there', () => {
  test.each(kept)('%s', async (rule, name, path) => {
    const text = await readFile(new URL(path, source), 'utf8')
    expect(text).toMatch(new RegExp(`(?<![\\w#])${name}\\b`))
    expect(text).toMatch(new RegExp(`\\b${rule}\\b`))
  })

  test.each(files.filter((path) => !path.startsWith('test/')))('%s', async (path) => {
    const inCore = kept.some(([, , place]) => place === path) ? path : `core/${path}`
    expect(await readFile(new URL(inCore, source), 'utf8')).not.toBe('')
  })
})
