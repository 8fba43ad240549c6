/** The tarball at work: used by programs of each sort, each of which then takes a lock on a real server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { expect, inject, onTestFinished, test } from 'vitest'
import { root } from './packed.js'
import { Project } from './project.js'

/** Compilers take their time on a machine that runs other tests too. */
const PATIENCE_MS = 180_000
/** What a minified bundle has of the package, its licences included. */
const PLAIN_LOCK_BYTES = 146_900
const WHOLE_CLIENT_BYTES = 258_200
/** The one package beside it. */
const EMITTER = ['eventemitter3/index.js', 'eventemitter3/index.mjs']
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
    onTestFinished(() => alone.remove())
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
    const { modules, bytes } = await bundle(projectOf().path('one-error.mjs'), false)
    expect(modules.sort()).toEqual([sharedFile('errors'), 'holdfast/dist/index.js'])
    expect(bytes).toBeLessThan(6_500)
  })

  test('who imports the client gets no store in memory and no command line, and not much in all', async () => {
    const { modules, bytes, lazyBytes } = await bundle(projectOf().path('client.mjs'))
    expect(modules.sort()).toEqual([...EMITTER, ...['client', 'errors', 'lock'].map(sharedFile)])
    console.log(`holdfast in a bundle: ${bytes} bytes, and ${lazyBytes} that are loaded when they are used`)
    expect(bytes).toBeLessThan(WHOLE_CLIENT_BYTES)
  })

  test('an application that imports the plain lock alone carries no other kind, no thread and no quorum', async () => {
    const { modules, bytes, lazyBytes } = await bundle(projectOf().path('lock.mjs'))
    // The other kinds, the quorum and the thread are in another file.
    expect(modules.sort()).toEqual([...EMITTER, ...['errors', 'lock'].map(sharedFile)])
    console.log(
      `holdfast/lock in a bundle: ${bytes} bytes, and ${lazyBytes} that are loaded when they are used`,
    )
    expect(bytes).toBeLessThan(PLAIN_LOCK_BYTES)
  })

  test('the plain lock alone, bundled into one file, runs on its own', () =>
    runsBundled('lock-main.mjs', 'esm'))

  test('a process with both forms: a multi-lock of both says so, and a decorator takes either', async () => {
    expect((await projectOf().node(['two-copies.mjs'])).split('\n')).toEqual([
      'InvalidArgumentError: locks[1] is a lock of another copy of Holdfast in this process; accepted: locks of one copy: ' +
        'import it everywhere, or require it everywhere, in one version.',
      'true',
    ])
  })

  test('its command line is installed with it and finds the server', async () => {
    const bin = projectOf().path('node_modules', '.bin', 'holdfast')
    expect(await projectOf().node([bin, '--help'])).toContain('holdfast')
    const { REDIS_URL = '' } = environment()
    expect(
      await projectOf().node([bin, 'ls', 'packaging:nobody-has-this', '--json', '--url', REDIS_URL]),
    ).toMatch(/^(\[\s*\])?$/)
  })

  test('its live page is served with nothing else installed', async () => {
    const { REDIS_URL = '' } = environment()
    const bin = projectOf().path('node_modules', '.bin', 'holdfast')
    const page = spawn(process.execPath, [bin, 'ui', '--port', '0', '--url', REDIS_URL])
    onTestFinished(() => void page.kill())
    const said = await Promise.race([once(page.stdout, 'data'), once(page.stderr, 'data')])
    const [address = ''] = /http:\S+/.exec(String(said)) ?? []
    expect(await (await fetch(address)).text()).toContain('<title>')
  })
}

/** What is left of an application that imports just that, minified and without its client library. */
async function bundle(
  entry: string,
  splitting = true,
): Promise<{ modules: string[]; bytes: number; lazyBytes: number }> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    splitting,
    minify: true,
    platform: 'node',
    format: 'esm',
    outdir: 'out',
    metafile: true,
    write: false,
    logLevel: 'error',
  })
  const { outputs } = metafile
  const all = Object.keys(outputs)
  const loaded = new Set(all.filter((path) => outputs[path]?.entryPoint?.endsWith(basename(entry))))
  for (const path of loaded) {
    for (const { path: next, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && next in outputs) loaded.add(next)
  }
  const bytesOf = (paths: readonly string[]): number =>
    paths.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0)
  const kept = [...loaded].flatMap((path) =>
    Object.entries(outputs[path]?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  )
  return {
    modules: [...new Set(kept.map(([path]) => path.replace(/^.*node_modules\//, '')))],
    bytes: bytesOf([...loaded]),
    lazyBytes: bytesOf(all.filter((path) => !loaded.has(path))),
  }
}

function sharedFile(name: string): string {
  return `holdfast/dist/chunks/${name}.js`
}
