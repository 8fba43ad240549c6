import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const bench = new URL('../', import.meta.url)
/** Git ignores it, and packages are found from there. */
const folder = new URL('node_modules/.build/', bench)

/** The programs in Node that the harness starts. */
export type Program =
  | 'driver'
  | 'held-locks'
  | 'blocked-main-thread'
  | 'table-growth'
  | 'take-over'
  | 'many-clients'
  | 'simulated'

/**
 * Compiles the programs once, so that what is measured is plain JavaScript started by plain Node, without a loader in the
 * process. Packages and Holdfast's own `dist` are left outside: they run as they are published.
 */
export async function buildPrograms(): Promise<void> {
  await build({
    absWorkingDir: fileURLToPath(bench),
    entryPoints: {
      driver: 'drivers/driver.ts',
      'held-locks': 'held-locks.ts',
      'blocked-main-thread': 'blocked-main-thread.ts',
      'table-growth': 'table-growth.ts',
      'take-over': 'take-over.ts',
      'many-clients': 'many-clients.ts',
      simulated: 'simulated/main.ts',
    },
    outdir: fileURLToPath(folder),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    outExtension: { '.js': '.mjs' },
    plugins: [
      {
        name: 'dist stays outside',
        setup({ onResolve }) {
          onResolve({ filter: /^\..*\/dist\// }, ({ path }) => ({
            path: path.replace(/^.*\/dist\//, '../../../dist/'),
            external: true,
          }))
        },
      },
    ],
  })
}

export function fileOf(program: Program): string {
  return fileURLToPath(new URL(`${program}.mjs`, folder))
}
