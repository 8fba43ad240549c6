/** The watchdog's thread out of the tarball: it needs no file and no package where it runs. */
import { readdir } from 'node:fs/promises'
import process from 'node:process'
import { build } from 'esbuild'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { Project } from './project.js'

const environment = (): Record<string, string> => ({
  REDIS_URL: inject('servers').standalone.url,
  LOCK_NAME: `packaging:thread:${process.pid}`,
})

/** @param projectOf a project in which it is installed. */
export function watchdogThreadCases(projectOf: () => Project): void {
  describe('a program that blocks its event loop', () => {
    test('keeps its lock', async () => {
      expect(await projectOf().node(['blocked.mjs'], environment())).toBe('kept')
    })

    test('keeps its lock when it is bundled into one file, in a folder with nothing else', async () => {
      const alone = await Project.bare()
      onTestFinished(() => alone.remove())
      const outfile = alone.path('bundle.mjs')
      const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
      await build({
        entryPoints: [projectOf().path('blocked.mjs')],
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
    })
  })
}
