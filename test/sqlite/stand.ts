import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import type { SqliteOptions } from '../../src/stores/sqlite/options.js'
import { type ClientParts, TestClient } from './client.js'

/** A folder for the files of one test file or group, and the clients on them, which are closed after their test. */
export class Stand {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-sqlite-'))

  constructor() {
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }))
  }

  path(): string {
    return join(this.folder, randomUUID(), 'locks.db')
  }

  client(options: string | SqliteOptions, parts?: ClientParts): TestClient {
    const client = new TestClient(options, parts)
    onTestFinished(() => client.session.close())
    return client
  }
}
