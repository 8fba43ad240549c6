import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { labelOf, ownerText, withoutLabel } from '../../src/base/identity/label.js'
import { Owners } from '../../src/base/identity/owner.js'
import { Holdfast, InvalidArgumentError, LockTimeoutError, NotOwnerError } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

/** What no label may be made of, and what it would do if it were printed as it is. */
const hostile = [
  ['clears the screen', '\u001b[2J'],
  ['forges a line', 'web-1\nholdfast: lock is free'],
  ['turns the writing', 'web\u202e1-bew'],
  ['ends the text', 'web\u0000'],
  ['separates a line', 'web\u2028'],
  ['hides a character', 'web\u200b-1'],
] as const

describe('the label of a client', () => {
  test('is host:pid by default, and stands in each of its owners', () => {
    const owners = new Owners()
    expect(labelOf(owners.next())).toBe(`${hostname()}:${process.pid}`)
    expect(withoutLabel(owners.next())).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:2$/,
    )
  })

  test.each(['web-1:4242', 'eu/west 1', 'a~b%41:7', '日本 🔒', "o'brien (*)", '%', 'x'.repeat(80)])(
    '%j comes back as it was, and no character of it separates anything',
    (label) => {
      const owner = new Owners(label).next()
      expect(labelOf(owner)).toBe(label)
      expect(owner).toMatch(/^[0-9a-f-]{36}~[^\s:]+:1$/)
    },
  )

  test.each<readonly [string, string]>([
    ...hostile,
    ['is empty', ''],
    ['is too long', 'ö'.repeat(41)],
    ['is no text', '\ud800'],
  ])('one that %s is refused', (_, label) => {
    expect(() => new Holdfast(new MemoryStore(), { label })).toThrow(InvalidArgumentError)
  })

  test.each(hostile)('one that another program has written, and that %s, is shown by codes', (_, label) => {
    const owner = `client~${encodeURIComponent(label)}:1` as const
    for (const text of [
      labelOf(owner),
      ownerText(owner),
      new LockTimeoutError('a', 5, { holder: owner }).message,
      new NotOwnerError('a', 'client:1', owner).message,
    ]) {
      expect(text).toMatch(/\\u\{[0-9a-f]+\}/)
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }
  })

  test('an owner without one is named by itself', () => {
    for (const owner of ['12368c27-0000-4000-8000-000000000000:1', 'client~:1'] as const) {
      expect(labelOf(owner)).toBeUndefined()
      expect(ownerText(owner)).toBe(owner)
    }
    expect(labelOf('client~%E2%82:1')).toBe('%E2%82')
    expect(labelOf(`client~${'x'.repeat(9_999)}:1`)?.length).toBeLessThan(200)
  })
})
