import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { orUndo } from '../servers/until.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The worker with the library in one file, so that it starts quickly; a mutant's has a changed library. */
export interface Bundle {
  readonly worker: string
  /** For histories and orders. */
  readonly folder: string
  remove(): Promise<void>
}

export async function bundle(plugins: Plugin[] = []): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-chaos-'))
  const worker = join(folder, 'worker.mjs')
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  await orUndo(remove, async () => {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await build({
      absWorkingDir: root,
      entryPoints: ['test/chaos/worker.ts'],
      outfile: worker,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      packages: 'external',
      sourcemap: 'inline',
      logLevel: 'warning',
      plugins,
    })
  })
  return { worker, folder, remove }
}
