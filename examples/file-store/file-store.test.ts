/** The proof that the file store keeps the contract: all of it, but what its traits say that it lacks. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance } from 'holdfast/conformance'
import { afterAll } from 'vitest'
import { FileStore, fileTraits } from './file-store.js'

const folder = mkdtempSync(join(tmpdir(), 'file-store-'))
afterAll(() => rmSync(folder, { recursive: true }))

conformance({ name: 'files in a folder', open: () => new FileStore(folder), traits: fileTraits })
