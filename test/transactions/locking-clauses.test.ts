import { describe, expect, test } from 'vitest'
import { lockingClauses, withWait } from '../../src/transactions/locking-clauses.js'

const MYSQL: ReadonlyArray<[text: string, atOnce: string]> = [
  ['SELECT 1 FOR UPDATE', 'SELECT 1 FOR UPDATE NOWAIT'],
  ['select 1 for\n share ;', 'select 1 for\n share NOWAIT ;'],
  ['SELECT 1 LOCK IN SHARE MODE', 'SELECT 1 FOR SHARE NOWAIT'],
  ['SELECT 1 FOR UPDATE -- mine', 'SELECT 1 FOR UPDATE NOWAIT -- mine'],
  ['SELECT 1 FOR UPDATE # mine', 'SELECT 1 FOR UPDATE NOWAIT # mine'],
  ['SELECT 1 FOR /* not: FOR SHARE */ UPDATE', 'SELECT 1 FOR /* not: FOR SHARE */ UPDATE NOWAIT'],
  ['SELECT 1 /*!80000 FOR UPDATE */', 'SELECT 1 /*!80000 FOR UPDATE NOWAIT */'],
  ['(SELECT 1 FOR UPDATE)', '(SELECT 1 FOR UPDATE NOWAIT)'],
  ['SELECT * FROM (SELECT 1 FOR UPDATE) AS d', 'SELECT * FROM (SELECT 1 FOR UPDATE NOWAIT) AS d'],
  [
    'SELECT 1 FOR UPDATE OF a, `b c` . d FOR SHARE OF e',
    'SELECT 1 FOR UPDATE OF a, `b c` . d NOWAIT FOR SHARE OF e NOWAIT',
  ],
  ['SELECT 1 FOR UPDATE NOWAIT', 'SELECT 1 FOR UPDATE NOWAIT'],
  ['SELECT 1 FOR UPDATE OF a SKIP LOCKED', 'SELECT 1 FOR UPDATE OF a SKIP LOCKED'],
  ['SELECT 1 FOR UPDATE WAIT 3 -- s', 'SELECT 1 FOR UPDATE NOWAIT -- s'],
  [
    `SELECT 'it''s \\' FOR SHARE', "FOR SHARE" FOR UPDATE`,
    `SELECT 'it''s \\' FOR SHARE', "FOR SHARE" FOR UPDATE NOWAIT`,
  ],
  ['SELECT 1--2 FOR UPDATE', 'SELECT 1--2 FOR UPDATE NOWAIT'],
]

const NOTHING = {
  both: [
    '',
    'SELECT 1',
    'UPDATE stock SET amount = 1',
    "SELECT 'FOR UPDATE'",
    "SELECT 'it''s FOR UPDATE'",
    'SELECT 1 AS "FOR UPDATE"',
    'SELECT 1 -- FOR UPDATE',
    'SELECT 1 /* FOR UPDATE */',
    'SELECT for_update FROM a',
    "SELECT 'FOR' 'UPDATE'",
  ],
  mysql: ['SELECT 1 AS `FOR UPDATE`', 'SELECT 1 # FOR UPDATE', "SELECT '\\' FOR UPDATE'"],
  postgres: [
    'SELECT $$ FOR UPDATE $$',
    'SELECT $a$ $$ FOR UPDATE $$ $a$',
    "SELECT E'\\' FOR UPDATE'",
    'SELECT 1 /* a /* b */ FOR UPDATE */',
    'SELECT 1 --FOR UPDATE',
  ],
}

const POSTGRES = [
  'SELECT 1 FOR NO KEY UPDATE',
  'SELECT 1 FOR KEY SHARE OF "a b".c NOWAIT',
  "SELECT '\\' FOR UPDATE",
  'SELECT a #> b FROM c WHERE d = $1 FOR UPDATE',
  'WITH x AS (SELECT 1 FOR UPDATE) SELECT * FROM x -- ;',
]

describe('the clauses of MySQL', () => {
  test.each(MYSQL)('%s', (text, atOnce) => {
    expect(withWait(text, lockingClauses(text, 'mysql'), 'NOWAIT')).toBe(atOnce)
  })

  test('a limit of a clause can be taken out', () => {
    const text = "SELECT 'WAIT 3' FOR UPDATE WAIT 3 /* WAIT 3 */"
    const clauses = lockingClauses(text, 'mysql')
    expect(clauses.map(({ wait }) => wait)).toEqual([{ seconds: 3 }])
    expect(withWait(text, clauses, '')).toBe("SELECT 'WAIT 3' FOR UPDATE /* WAIT 3 */")
  })

  test.each([...NOTHING.both, ...NOTHING.mysql])('nothing is locked by: %s', (text) => {
    expect(lockingClauses(text, 'mysql')).toEqual([])
  })
})

describe('the clauses of PostgreSQL', () => {
  test.each(POSTGRES)('%s', (text) => expect(lockingClauses(text, 'postgres')).toHaveLength(1))

  test.each([...NOTHING.both, ...NOTHING.postgres])('nothing is locked by: %s', (text) => {
    expect(lockingClauses(text, 'postgres')).toEqual([])
  })
})

test('a long statement and a literal that does not end take no long time', () => {
  const literal = "''".repeat(200_000)
  expect(lockingClauses(`SELECT '${literal}' FOR UPDATE`, 'mysql')).toHaveLength(1)
  expect(lockingClauses(`SELECT '${literal.slice(0, 4_000)} FOR UPDATE`, 'mysql').length).toBeLessThan(2)
})
