/** What the ways in export is held by the API reports in `etc/`; here, that they do nothing else. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { moduleOf } from '../../scripts/ways-in.js'

test('index.ts is the public surface and has no code of its own', async () => {
  const ways =
    'conformance etcd fastify lock memory nestjs otel postgres prometheus redis sqlite store transactions ui zookeeper'
  for (const way of ['.', ...ways.split(' ')]) {
    const source = await readFile(new URL(`../../src/${moduleOf(way)}.ts`, import.meta.url), 'utf8')
    const statements = source.replace(/\/\*.*?\*\//gs, '').split(/^(?=export |import )/m)
    for (const statement of statements)
      expect(statement).toMatch(/^(\s*|export (type )?\{[^}]*\} from '[^']+'\s*)$/)
  }
})
