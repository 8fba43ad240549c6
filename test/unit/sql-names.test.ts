/** How names of tables and patterns are put into statements of a database. */
import { describe, expect, test } from 'vitest'
import { quoteTable as quoteForMysql } from '../../src/stores/mysql/schema.js'
import { likeOf as likeInMysql } from '../../src/stores/mysql/stored-name.js'
import { quoteTable as quoteForPostgres } from '../../src/stores/postgres/schema.js'
import { likeOf as likeInPostgres } from '../../src/stores/postgres/stored-name.js'

describe.each([
  { product: 'PostgreSQL', quoteTable: quoteForPostgres, quote: '"', longest: 63, more: [] },
  { product: 'MySQL', quoteTable: quoteForMysql, quote: '`', longest: 64, more: ['a ', '🧵'] },
])('$product', ({ quoteTable, quote, longest, more }) => {
  /** In the product's own quotes. */
  const quoted = (text: string): string => text.replaceAll('"', quote)

  test.each([
    ['locks', '"locks"'],
    ['app.locks', '"app"."locks"'],
    ['App.My Locks', '"App"."My Locks"'],
    ['"a.b"."c""d"', '"a.b"."c""d"'],
    ["'; DROP TABLE x; --", `"'; DROP TABLE x; --"`],
  ])('the table %s is %s', (table, sql) => expect(quoteTable(quoted(table))).toBe(quoted(sql)))

  test.each(['', '.', 'a.', '.b', 'a.b.c', 'a"b"', '"', 'x'.repeat(longest + 1), 'n\0ul', '""', ...more])(
    'the table %j is refused',
    (table) => expect(() => quoteTable(quoted(table))).toThrow('table is'),
  )

  test('a table that is no text is refused', () =>
    expect(() => Reflect.apply(quoteTable, undefined, [7])).toThrow('table is'))
})

test.each([
  ['a*b?c', 'a%b_c', 'a%b%c'],
  ['50%_\\', '50\\%\\_\\\\', '50|%|_\\'],
  ['50%_|', '50\\%\\_|', '50|%|_||'],
  ['\\*\\?\\[', '*?[', '*?['],
  ['job-[0-9]*', 'job-%', 'job-%'],
  ['🧵?', '🧵_', '🧵%'],
])('the glob %s asks PostgreSQL for %s, MySQL for %s', (glob, inPostgres, inMysql) => {
  expect(likeInPostgres(glob)).toBe(inPostgres)
  expect(likeInMysql(glob).toString()).toBe(inMysql)
})
