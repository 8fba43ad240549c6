/** A process with a client of memcached. */
import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { MemcachedServer } from '../servers/memcached.js'
import { duringAll } from '../setup/during.js'
import { programOf } from '../setup/programs.js'

const server = duringAll(() => MemcachedServer.start())

test('that is idle ends by itself, without close()', async () => {
  const program = programOf(new URL('./idle.fixture.ts', import.meta.url))
  // Killed then, which rejects.
  const timeout = 15_000
  const { stdout } = await promisify(execFile)(process.execPath, [program, server.address], { timeout })
  expect(stdout).toBe('released')
})
