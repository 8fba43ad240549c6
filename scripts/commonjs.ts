/**
 * Adds to the build what a program gets that requires the package where `require` takes no ES module, as in Jest: every module as
 * CommonJS, in `dist/cjs`. The declarations are there too, for both sorts of importer, so that TypeScript knows one class `Lock` only.
 * An importer in such a place gets the same modules (`index.mjs`): the locks of one process must not be of two packages.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))
const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
/** Each way into the package, such as `.` or `lock`. */
const entries = Object.keys(exports)
  .filter((path) => !path.endsWith('.json'))
  .map((path) => posix.normalize(path))

const common: BuildOptions = {
  absWorkingDir: root,
  outbase: 'src',
  outdir: 'dist/cjs',
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  logLevel: 'warning',
  // What finds a package from a module's place takes a path for that too.
  define: { 'import.meta.url': '__filename' },
  // Jest lets CommonJS import nothing.
  supported: { 'dynamic-import': false },
}

const { metafile } = await build({
  ...common,
  entryPoints: entries.map((entry) => posix.join('src', entry, 'index.ts')),
  bundle: true,
  packages: 'external',
  metafile: true,
  write: false,
})
await build({ ...common, entryPoints: Object.keys(metafile.inputs) })
write('dist/cjs/package.json', '{ "type": "commonjs" }\n')
for (const entry of entries) {
  const cjs = posix.join('dist/cjs', entry)
  // The conformance suite stands on Vitest, which nothing may require.
  if (entry !== 'conformance') write(posix.join(cjs, 'index.mjs'), "export * from './index.js'\n")
  const place = posix.join('dist', entry)
  const way = entry === '.' ? './cjs' : posix.relative(place, cjs)
  write(posix.join(place, 'index.d.ts'), `export * from '${way}/index.js'\n`)
}

function write(path: string, text: string): void {
  const file = `${root}${path}`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
