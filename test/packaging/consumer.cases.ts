/** The tarball at work: used by programs of each sort, each of which then takes a lock on a real server. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { expect, inject, test } from 'vitest'
import { root } from './packed.js'
import { Project } from './project.js'

/** Compilers take their time on a machine that runs other tests too. */
const PATIENCE_MS = 180_000
/** What a minified bundle has of the package, its licences included. */
const PLAIN_LOCK_BYTES = 145_500
const WHOLE_CLIENT_BYTES = 335_000
const EXPECTED = { nested: 2, refused: true, locked: false }

let names = 0

function environment(): Record<string, string> {
  names += 1
  return { REDIS_URL: inject('servers').standalone.url, LOCK_NAME: `packaging:${process.pid}:${names}` }
}

/** @param projectOf a project in which it is installed. */
export function consumerCases(projectOf: () => Project): void {
  async function runs(script: string): Promise<void> {
    expect(JSON.parse(await projectOf().node([script], environment()))).toEqual(EXPECTED)
  }

  async function runsBundled(script: string, format: 'esm' | 'cjs'): Promise<void> {
    const alone = await Project.bare()
    try {
      const outfile = alone.path(format === 'esm' ? 'bundle.mjs' : 'bundle.cjs')
      await build({
        entryPoints: [projectOf().path(script)],
        bundle: true,
        platform: 'node',
        format,
        outfile,
        // ioredis is CommonJS, which asks for Node's modules by require.
        banner:
          format === 'esm'
            ? {
                js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
              }
            : {},
        logLevel: 'error',
      })
      expect(await readdir(alone.folder)).toHaveLength(1)
      expect(JSON.parse(await alone.node([outfile], environment()))).toEqual(EXPECTED)
    } finally {
      await alone.remove()
    }
  }

  test('an ES module imports it', () => runs('main.mjs'))

  test('a CommonJS module requires it', () => runs('main.cjs'))

  test('a strict TypeScript project compiles against it, declarations of libraries included', {
    timeout: PATIENCE_MS,
  }, async () => {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    await projectOf()
      .node([tsc, '-p', '.'])
      .catch((error: unknown) => {
        throw new Error(`tsc: ${Object(error).stdout}`)
      })
    await runs(join('compiled', 'main.mjs'))
  })

  test.each(['esm', 'cjs'] as const)('a program bundled into one %s file runs on its own', (format) =>
    runsBundled(format === 'esm' ? 'main.mjs' : 'main.cjs', format),
  )

  test('who imports one error class gets that and little else', async () => {
    const { modules, bytes } = await bundle(projectOf().path('one-error.mjs'))
    expect(modules.length).toBeGreaterThan(0)
    for (const module of modules)
      expect(module).toMatch(
        /^holdfast\/dist\/(errors\/[^/]*|identity\/(label|printable)|time\/iso-time)\.js$/,
      )
    expect(bytes).toBeLessThan(4_000)
  })

  test('who imports the client gets no store in memory and no command line, and not much in all', async () => {
    const { modules, bytes } = await bundle(projectOf().path('client.mjs'))
    expect(modules).toContain('holdfast/dist/redis/store.js')
    expect(modules.filter((module) => /holdfast\/dist\/(memory|cli|otel|prometheus)\//.test(module))).toEqual(
      [],
    )
    console.log(`holdfast in a bundle: ${bytes} bytes`)
    // A quarter of it is the watchdog thread, which is only loaded where it is asked for.
    expect(bytes).toBeLessThan(WHOLE_CLIENT_BYTES)
  })

  test('an application that imports the plain lock alone carries no other kind, no thread and no quorum', async () => {
    const { modules, bytes } = await bundle(projectOf().path('lock.mjs'))
    expect(modules).toContain('holdfast/dist/redis/lock-store.js')
    const others = /holdfast\/dist\/(memory|cli|quorum|compute-once|redis\/(values|watchdog-thread))\//
    expect(modules.filter((module) => others.test(module))).toEqual([])
    const ports = /kinds\/(multi|striped|semaphore|read-write)|redis\/permits\/.*port|read-write|replica/
    expect(modules.filter((module) => ports.test(module))).toEqual([])
    console.log(`holdfast/lock in a bundle: ${bytes} bytes`)
    expect(bytes).toBeLessThan(PLAIN_LOCK_BYTES)
  })

  test('the plain lock alone, bundled into one file, runs on its own', () =>
    runsBundled('lock-main.mjs', 'esm'))

  test('its command line is installed with it and finds the server', async () => {
    const bin = projectOf().path('node_modules', '.bin', 'holdfast')
    expect(await projectOf().node([bin, '--help'])).toContain('holdfast')
    const { REDIS_URL = '' } = environment()
    expect(
      await projectOf().node([bin, 'ls', 'packaging:nobody-has-this', '--json', '--url', REDIS_URL]),
    ).toMatch(/^(\[\s*\])?$/)
  })

  test('the live page needs packages that only its users install', async () => {
    const bin = projectOf().path('node_modules', '.bin', 'holdfast')
    const { REDIS_URL = '' } = environment()
    await expect(projectOf().node([bin, 'ui', '--url', REDIS_URL])).rejects.toMatchObject({
      code: 69,
      stderr: expect.stringContaining('npm install hono @hono/node-server'),
    })
  })
}

/** What is left of an application that imports just that, minified and without its client library. */
async function bundle(entry: string): Promise<{ modules: string[]; bytes: number }> {
  const { metafile, outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    logLevel: 'error',
  })
  const kept = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  )
  return {
    modules: kept.map(([path]) => path.replace(/^.*node_modules\//, '')),
    bytes: outputFiles.reduce((sum, { contents }) => sum + contents.length, 0),
  }
}
