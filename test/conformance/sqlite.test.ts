/** The suite that other stores are tested with, on a file. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { conformance } from '../../src/conformance/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'

// In memory where that can be: short leases are no match for a disk that others keep busy.
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'holdfast-conformance-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const store = sqlite(join(folder, 'locks.db'))
conformance({ name: 'sqlite', open: () => store })
