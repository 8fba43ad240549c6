/** The tarball at work: used by programs of each sort, each of which then takes a lock on a real server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'
import { PATIENCE_MS, root } from './packed.js'
import { environment, Project } from './project.js'

/** What a minified bundle has of the package, its licences included. */
const PLAIN_LOCK_BYTES = 146_900
const WHOLE_CLIENT_BYTES = 258_200
const EMITTER = ['eventemitter3/index.js', 'eventemitter3/index.mjs']
const chunk = (name: string): string => `holdfast/dist/chunks/${name}.js`
const ONE_FILE = { bundle: true, platform: 'node', logLevel: 'error' } as const
/** What a program says that took a lock, and one that blocked while it had one. */
const TOOK = { nested: 2, refused: true, locked: false }
const KEPT = { held: true, causes: [] }

/** @param project one in which it is installed. */
export function consumerCases(project: Project): void {
  const runs = async (...script: string[]): Promise<unknown> =>
    JSON.parse(await project.node(script, environment()))

  /** A program in one file, in a folder with nothing else. */
  async function bundled(script: string, format: 'esm' | 'cjs', minify = true) {
    const alone = await Project.bare()
    onTestFinished(() => alone.end())
    const outfile = alone.path(format === 'esm' ? 'bundle.mjs' : 'bundle.cjs')
    // ioredis is CommonJS, which asks for Node's modules by require.
    const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
    const banner = format === 'esm' ? { js } : {}
    await build({ ...ONE_FILE, entryPoints: [project.path(script)], outfile, format, minify, banner })
    expect(await readdir(alone.folder)).toHaveLength(1)
    return async (flags: readonly string[] = [], args: readonly string[] = [], env = {}): Promise<unknown> =>
      JSON.parse(await alone.node([...flags, outfile, ...args], { ...environment(), ...env }))
  }

  test.each(['main.mjs', 'main.cjs'])('a module imports or requires it: %s', async (script) => {
    expect(await runs(script)).toEqual(TOOK)
  })

  test('a strict TypeScript project compiles against it, declarations of libraries included', {
    timeout: PATIENCE_MS,
  }, async () => {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    await project.node([tsc, '-p', '.']).catch((error: unknown) => {
      throw new Error(`tsc: ${Object(error).stdout}`)
    })
    expect(await runs(join('compiled', 'main.mjs'))).toEqual(TOOK)
  })

  test.each([
    ['main.mjs', 'esm'],
    ['main.cjs', 'cjs'],
    ['lock-main.mjs', 'esm'],
  ] as const)('a program bundled into one file runs on its own: %s as %s', async (script, format) => {
    expect(await (await bundled(script, format))()).toEqual(TOOK)
  })

  describe('a program that blocks its event loop keeps its lock, and the watchdog’s thread does not keep it alive', () => {
    test.each(['leave', 'close'])('%s', async (end) => {
      expect(await runs('blocked.mjs', end)).toEqual(KEPT)
      for (const format of ['esm', 'cjs'] as const)
        expect(await (await bundled('blocked.mjs', format))([], [end])).toEqual(KEPT)
    })

    test('options meant for the application are not applied in the thread', async () => {
      const run = await bundled('blocked.mjs', 'cjs', false)
      // In the main thread it does nothing; in any other it would end it.
      const hostile =
        "data:text/javascript,import{isMainThread}from'node:worker_threads';if(!isMainThread)process.exit(9)"
      expect(await run(['--import', hostile], ['close'])).toEqual(KEPT)
      expect(await run([], ['close'], { NODE_OPTIONS: `--import=${hostile}` })).toEqual(KEPT)
    })
  })

  test.each([
    ['one-error', 'one error class, and little else', [chunk('errors'), 'holdfast/dist/index.js'], 6_500],
    [
      'client',
      'the client: no store in memory, no command line',
      [...EMITTER, ...['client', 'errors', 'lock'].map(chunk)],
      WHOLE_CLIENT_BYTES,
    ],
    // The other kinds, the quorum and the thread are in another file.
    [
      'lock',
      'the plain lock alone: no other kind, no thread and no quorum',
      [...EMITTER, ...['errors', 'lock'].map(chunk)],
      PLAIN_LOCK_BYTES,
    ],
  ])('%s.mjs: what one gets who imports %s', async (entry, _what, expected, mostBytes) => {
    // What is loaded later is in files of its own but for the error, which is to be had without any.
    const { modules, bytes, lazyBytes } = await bundle(project.path(`${entry}.mjs`), entry !== 'one-error')
    expect(modules.sort()).toEqual(expected)
    console.log(`${entry} in a bundle: ${bytes} bytes, and ${lazyBytes} that are loaded when they are used`)
    expect(bytes).toBeLessThan(mostBytes)
  })

  test('a process with both forms: a multi-lock of both says so, and a decorator takes either', async () =>
    expect((await project.node(['two-copies.mjs'])).split('\n')).toEqual([
      'InvalidArgumentError: locks[1] is a lock of another copy of Holdfast in this process; accepted: locks of one copy: ' +
        'import it everywhere, or require it everywhere, in one version.',
      'true',
    ]))

  describe('its command line is installed with it', () => {
    const bin = () => project.path('node_modules', '.bin', 'holdfast')

    test('and finds the server', async () => {
      expect(await project.node([bin(), '--help'])).toContain('holdfast')
      const { REDIS_URL } = environment()
      const none = ['ls', 'packaging:nobody-has-this', '--json', '--url', REDIS_URL]
      expect(await project.node([bin(), ...none])).toMatch(/^(\[\s*\])?$/)
    })

    test('and serves its live page with nothing else installed', async () => {
      const { REDIS_URL } = environment()
      const page = spawn(process.execPath, [bin(), 'ui', '--port', '0', '--url', REDIS_URL])
      onTestFinished(() => void page.kill())
      const said = await Promise.race([once(page.stdout, 'data'), once(page.stderr, 'data')])
      const [address = ''] = /http:\S+/.exec(String(said)) ?? []
      expect(await (await fetch(address)).text()).toContain('<title>')
    })
  })
}

/** What is left of an application that imports just that, minified and without its client library. */
async function bundle(entry: string, splitting: boolean) {
  const split = { ...ONE_FILE, format: 'esm', minify: true, splitting, outdir: 'out' } as const
  const { metafile } = await build({ ...split, entryPoints: [entry], metafile: true, write: false })
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
