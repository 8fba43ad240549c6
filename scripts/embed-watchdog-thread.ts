/**
 * Bundles the watchdog thread, its client library with it, into one compressed text in a module: so an application needs neither
 * a file beside its bundle nor a package it can resolve at run time.
 */
import { writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { licences } from './licences.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = 'src/stores/redis/watchdog-thread'
const target = join(root, folder, 'source.generated.ts')

/** The client library logs with `debug`, which nobody reads in the thread. */
const withoutLogging: Plugin = {
  name: 'without-logging',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^debug$/ }, ({ path }) => ({ path, namespace: 'absent' }))
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'exports.default = () => () => {}' }))
  },
}

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: [join(folder, 'thread.ts')],
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  metafile: true,
  write: false,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [withoutLogging],
})

const [output] = outputFiles
if (!output) throw new Error('esbuild made no output')
const inputs = Object.keys(metafile.inputs)
const unwanted = Object.values(metafile.outputs)
  .flatMap(({ imports }) => imports)
  .filter(({ path, external }) => external && !isBuiltin(path))
if (unwanted.length > 0) throw new Error(`not bundled: ${unwanted.map(({ path }) => path).join(', ')}`)
if (inputs.some((path) => path.endsWith('source.generated.ts')))
  throw new Error(`${folder}/thread.ts imports, by whichever way, the very text it is built into`)

writeFileSync(
  target,
  `// Generated from ${folder}/thread.ts by scripts/embed-watchdog-thread.ts. Do not edit.\n` +
    licences(inputs) +
    `export const compressed: string =\n  '${brotliCompressSync(output.text.trimEnd()).toString('base64')}'\n`,
)
