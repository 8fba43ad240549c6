/** The watchdog's thread out of the tarball: it needs no file and no package where it runs. */
import { readdir } from 'node:fs/promises'
import process from 'node:process'
import { build } from 'esbuild'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type Packed, pack } from './packed.js'
import { Project } from './project.js'

const PATIENCE_MS = 180_000

let packed: Packed & AsyncDisposable

beforeAll(async () => {
  packed = await pack()
  return () => packed[Symbol.asyncDispose]()
}, PATIENCE_MS)

const environment = (): Record<string, string> => ({
  REDIS_URL: inject('servers').standalone.url,
  LOCK_NAME: `packaging:thread:${process.pid}`,
})

describe.each(['5.4.0', '6'])('a program that blocks its event loop, with ioredis %s', (ioredis) => {
  let project: Project

  beforeAll(async () => {
    project = await Project.install(packed.file, { ioredis })
    return () => project.remove()
  }, PATIENCE_MS)

  test('keeps its lock', async () => {
    expect(await project.node(['blocked.mjs'], environment())).toBe('kept')
  })

  test('keeps its lock when it is bundled into one file, in a folder with nothing else', async () => {
    const alone = await Project.bare()
    try {
      const outfile = alone.path('bundle.mjs')
      const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
      await build({
        entryPoints: [project.path('blocked.mjs')],
        bundle: true,
        minify: true,
        platform: 'node',
        format: 'esm',
        outfile,
        // ioredis is CommonJS, which asks for Node's modules by require.
        banner: { js },
        logLevel: 'error',
      })
      expect(await readdir(alone.folder)).toEqual(['bundle.mjs'])
      expect(await alone.node([outfile], environment())).toBe('kept')
    } finally {
      await alone.remove()
    }
  })
})
