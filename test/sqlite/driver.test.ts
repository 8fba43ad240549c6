/** How Node's own SQLite is loaded. */
import process from 'node:process'
import { afterEach, expect, test, vi } from 'vitest'
import { nodeDriver } from '../../src/stores/sqlite/driver.js'

afterEach(() => {
  vi.restoreAllMocks()
})

test('users 9: that Node calls it experimental is not said, and everything else is', () => {
  const said: unknown[][] = []
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation((...words: unknown[]) => {
    said.push(words)
  })
  // As lib/sqlite.js does it, which says it once in a process.
  vi.spyOn(process, 'getBuiltinModule').mockImplementation((): object => {
    process.emitWarning(
      'SQLite is an experimental feature and might change at any time',
      'ExperimentalWarning',
    )
    process.emitWarning('Something else is experimental', 'ExperimentalWarning')
    process.emitWarning('SQLite is old', 'DeprecationWarning', 'DEP0000')
    return { DatabaseSync: class {} }
  })
  const before = process.emitWarning
  expect(nodeDriver()).toBeDefined()
  expect(said).toEqual([
    ['Something else is experimental', 'ExperimentalWarning'],
    ['SQLite is old', 'DeprecationWarning', 'DEP0000'],
  ])
  expect(process.emitWarning).toBe(before)
  expect(emitWarning).toHaveBeenCalledTimes(2)
})
