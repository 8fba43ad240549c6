/** Jest, and Vitest's `vmThreads`, run an application in a realm of its own: what Node throws is no instance of that realm's `Error`. */

import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { isError } from '../../src/base/errors/is-error.js'
import { filesIn } from './files.js'

test('an error is known in whichever realm it was made', async () => {
  const made = runInNewContext('[new TypeError("of another realm"), { message: "none" }]')
  expect(made.map(isError)).toEqual([true, false])
  const asks = (await filesIn(['src'], '.ts')).filter(({ text }) => /instanceof Error\b/.test(text))
  expect(asks.map(({ path }) => path)).toEqual(['src/base/errors/is-error.ts'])
})
