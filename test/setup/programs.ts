/** The programs that tests start as processes, as plain Node runs them: the command line, the examples and every fixture. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { inject } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the programs of this run. */
    programs: string
  }
}

export interface Programs {
  readonly folder: string
  /** Removes them. */
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
  const fixtures = tests.filter((path) => path.endsWith('.fixture.ts')).map((path) => join('test', path))
  try {
    await build({
      absWorkingDir: root,
      entryPoints: ['src/cli/main.ts', 'examples/*.ts', ...fixtures],
      outdir: folder,
      outbase: root,
      bundle: true,
      splitting: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { folder, stop }
}

/** Where the program is that was compiled from this source. */
export function programOf(source: URL): string {
  return join(inject('programs'), relative(root, fileURLToPath(source)).replace(/\.ts$/, '.js'))
}
