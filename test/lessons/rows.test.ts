/** The table of lessons holds: each test it names is there, and each issue it lists stands in the name of a test, unless it names one elsewhere. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { filesIn } from '../architecture/files.js'
import { testNamesOf } from '../architecture/test-names.js'

const rows = (await readFile(new URL('./README.md', import.meta.url), 'utf8'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (issue|fact|thread or finding) \|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, lesson = '', where = '']) => ({ lesson, where }))
const names = (await filesIn(['test', 'src/conformance'], '.ts')).flatMap((file) => testNamesOf(file))

/** A row that names no test says in which folder all tests are about it, or that the fault cannot be had here. */
const WITHOUT_TESTS = /does not apply|`test\/|: (all|each|the (first|last|two))|, with each library/

test('there are as many as there are lessons', () => expect(rows.length).toBeGreaterThan(60))

test.each(rows)('$lesson', ({ lesson, where }) => {
  const named = [...where.matchAll(/"([^"]+)"/g)].map(([, words = '']) => words.replace(/^… /, ''))
  expect(named.filter((words) => !names.some((name) => name.includes(words)))).toEqual([])
  if (named.length === 0) expect(where).toMatch(WITHOUT_TESTS)
  if (where.startsWith('`')) return
  const issues = [...lesson.matchAll(/#\d+/g)].map(([number]) => number)
  const shown = (number: string): boolean => names.some((name) => new RegExp(`${number}\\b`).test(name))
  expect(issues.filter((number) => !shown(number))).toEqual([])
})
