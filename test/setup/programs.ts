/** The programs that tests start as processes, as plain Node runs them: the command line, the examples and every fixture. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { inject } from 'vitest'
import { faultOfRun, mutation } from '../mutants/plugin.js'
import { orUndo } from '../servers/until.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

declare module 'vitest' {
  interface ProvidedContext {
    programs: string
  }
}

export interface Programs {
  readonly folder: string
  stop(): Promise<void>
}

/**
 * Compiles them to JavaScript once for a run: a process that compiles its own sources takes twice as long to start. Types are checked
 * elsewhere. Inside the package, so that its dependencies are found.
 */
export async function buildPrograms(): Promise<Programs> {
  const parent = join(root, 'temp')
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'programs-'))
  const stop = (): Promise<void> => rm(folder, { recursive: true, force: true })
  const tests = await readdir(join(root, 'test'), { recursive: true })
  const fault = faultOfRun()
  const fixtures = tests.filter((path) => path.endsWith('.fixture.ts')).map((path) => join('test', path))
  await orUndo(stop, () =>
    build({
      absWorkingDir: root,
      entryPoints: ['src/cli/main.ts', 'examples/*.ts', ...fixtures],
      outdir: folder,
      outbase: root,
      bundle: true,
      splitting: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      // With the packages they use, which load in half the time from one file. These are not used, or are what is tested.
      external: ['holdfast', 'testcontainers', 'vitest'],
      plugins: fault ? [namedImports, mutation(fault)] : [namedImports],
      // Packages in CommonJS ask for Node's modules by require.
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
      },
      logLevel: 'warning',
    }),
  )
  return { folder, stop }
}

/** A CommonJS module that is imported when it is needed has no named exports in a bundle; one that passes them on has. */
const namedImports: Plugin = {
  name: 'named-imports',
  setup({ onResolve, onLoad }) {
    const namespace = 'named-imports'
    onResolve({ filter: /^ioredis$/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path, namespace, pluginData: resolveDir } : undefined,
    )
    onLoad({ filter: /.*/, namespace }, ({ path, pluginData: resolveDir }) => ({
      contents: `export { Cluster, Redis } from '${path}'`,
      resolveDir,
    }))
  },
}

export function programOf(source: URL): string {
  return join(inject('programs'), relative(root, fileURLToPath(source)).replace(/\.ts$/, '.js'))
}
