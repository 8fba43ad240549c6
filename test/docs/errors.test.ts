/** docs/errors.md names every error, code, reason and event that there is. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { filesIn } from '../architecture/files.js'

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
const cells = page.split('\n').flatMap((line) => /^\| `(\w[\w-]*)` \|/.exec(line)?.[1] ?? [])
const surface = (await filesIn(['etc'], '.api.md')).map(({ text }) => text).join('\n')

/** The words of a kind on the public surface. */
function all(pattern: RegExp, text = surface): string[] {
  const found = [...new Set([...text.matchAll(pattern)].flatMap(([, name]) => name ?? []))]
  expect(found.length).toBeGreaterThan(2)
  return found
}

test.each(all(/export class (\w+Error) extends (?!Error )/g))('%s', (name) => expect(cells).toContain(name))

test.each(all(/^ {4}(\w+): \((?:event|error): /gm))('the event %s', (name) => expect(cells).toContain(name))

test.each(['StoreFailure', 'LossReason'])('every value of %s', (type) => {
  const [, values = ''] = new RegExp(`export type ${type} = (.*);`).exec(surface) ?? []
  expect(cells).toEqual(expect.arrayContaining(all(/'([\w-]+)'/g, values)))
})

test('every warning', () => {
  const [, values = ''] = /readonly code: ('[A-Z_]+'.*);/.exec(surface) ?? []
  expect(cells).toEqual(expect.arrayContaining(all(/'([A-Z_]+)'/g, values)))
})

test('the code of every error', async () => {
  const source = (await filesIn(['src/base/errors'], '.ts')).map(({ text }) => text).join('\n')
  expect(page.match(/`[A-Z]+(?:_[A-Z]+)*`/g)).toEqual(
    expect.arrayContaining(
      all(/(?:super\(|code: |\?\? |^ {6})'([A-Z]+(?:_[A-Z]+)*)',/gm, source).map((code) => `\`${code}\``),
    ),
  )
})
