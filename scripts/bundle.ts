/**
 * Writes `dist`: each way into the package in few files, as an ES module and as CommonJS, and the declarations of both.
 *
 * A process must have one class `Lock`, whichever way it is loaded. So what several ways in use is in files that they share; `import` and
 * `require` give the ES modules where `require` takes them, and the CommonJS modules elsewhere (`index.mjs`), as in Jest; and TypeScript
 * finds the same declarations from both.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { type ChunkingContext, type InputOptions, type OutputOptions, rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { licences } from './licences.js'
import { waysIn as entries, moduleOf } from './ways-in.js'

const root = fileURLToPath(new URL('../', import.meta.url))
/** Vitest cannot be required. */
const required = entries.filter((entry) => entry !== 'conformance')
/** What only the command line needs. It is in its files, with its licences; all other packages are installed by who uses them. */
const bundled = /^(commander|string-width|hono|@hono\/node-server|@oxc-project\/runtime)(\/|$)/

const common: InputOptions = {
  cwd: root,
  platform: 'node',
  external: (id, importer) => /^[^./]/.test(id) && !bundled.test(id) && !importer?.includes('/node_modules/'),
  transform: { target: 'node20.19' },
  // No paths of sources, which are not there.
  experimental: { attachDebugInfo: 'none' },
}

rmSync(`${root}dist`, { recursive: true, force: true })
const sources = inputs(entries, (entry) => `src/${moduleOf(entry)}.ts`)
await write(
  'dist',
  { ...common, input: { ...sources, 'cli/main': 'src/cli/main.ts' } },
  { format: 'esm', codeSplitting: groupedBy(sharedFile) },
)
await write(
  'dist/cjs',
  { ...common, input: inputs(required, (entry) => `src/${moduleOf(entry)}.ts`) },
  {
    format: 'cjs',
    exports: 'named',
    // Jest lets CommonJS import nothing.
    dynamicImportInCjs: false,
    // The thread's text is read where there is a thread.
    codeSplitting: groupedBy((module, users) =>
      users.size === 0 && module.includes('/watchdog-thread/') ? null : 'shared',
    ),
  },
)
await write(
  'dist/cjs',
  {
    ...common,
    input: inputs(entries, (entry) => `build/types/${moduleOf(entry)}.d.ts`),
    external: /^[^./]/,
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
  },
  {
    format: 'esm',
    codeSplitting: groupedBy(() => 'shared'),
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'chunks/[name].d.ts',
  },
)
save(
  'dist/cjs/conformance/index.js',
  "throw new Error('holdfast/conformance stands on Vitest, which nothing can require: import it.')\n",
)
save('dist/cjs/package.json', '{ "type": "commonjs" }\n')
for (const entry of entries) {
  const cjs = posix.join('dist/cjs', entry)
  if (required.includes(entry)) save(posix.join(cjs, 'index.mjs'), "export * from './index.js'\n")
  const place = posix.join('dist', entry)
  const way = entry === '.' ? './cjs' : posix.relative(place, cjs)
  save(posix.join(place, 'index.d.ts'), `export * from '${way}/index.js'\n`)
}

function inputs(names: readonly string[], file: (entry: string) => string): Record<string, string> {
  return Object.fromEntries(names.map((entry) => [posix.join(entry, 'index'), file(entry)]))
}

async function write(folder: string, input: InputOptions, output: OutputOptions): Promise<void> {
  const bundle = await rolldown({ preserveEntrySignatures: 'allow-extension', ...input })
  const { output: files } = await bundle.generate({
    chunkFileNames: 'chunks/[name].js',
    comments: { legal: true, annotation: true, jsdoc: false },
    minifyInternalExports: false,
    ...output,
  })
  await bundle.close()
  for (const file of files) {
    if (file.type === 'asset') throw new Error(`${file.fileName} is no module`)
    const [first = ''] = /^#!.*\n/.exec(file.code) ?? []
    const terms = licences(Object.keys(file.modules).map((path) => relative(root, path)))
    const isProgram = /^(cli\/|ui\/|chunks\/operator).*\.js$/.test(file.fileName)
    const code = isProgram ? await shortened(file.code) : file.code.slice(first.length)
    save(posix.join(folder, file.fileName), first + terms + code)
  }
}

/** The command line and the page, which are half others' code, are there to run, not to be read: so the package stays small. */
async function shortened(code: string): Promise<string> {
  const options = {
    minify: true,
    target: 'node20',
    legalComments: 'none',
  } as const
  return (await transform(code.replace(/^#!.*\n/, ''), options)).code
}

/** Puts the modules that several ways in use, or none until it needs them, into the file that `fileOf` names; those of one way in are in its own. */
function groupedBy(
  fileOf: (module: string, users: ReadonlySet<string>) => string | null,
): NonNullable<OutputOptions['codeSplitting']> {
  let users: Map<string, Set<string>> | undefined
  const name = (module: string, context: ChunkingContext): string | null => {
    users ??= usersOf(context)
    const of = users.get(module) ?? new Set()
    return of.size === 1 ? null : fileOf(module, of)
  }
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: 'shared' }] }
}

/** Who imports a module, itself or through others: entries, and the errors, which an application may want alone. */
function usersOf(context: ChunkingContext): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>()
  const visit = (module: string, user: string): void => {
    const known = users.get(module) ?? new Set()
    if (known.has(user)) return
    users.set(module, known.add(user))
    for (const imported of context.getModuleInfo(module)?.importedIds ?? []) visit(imported, user)
  }
  for (const entry of entries) {
    for (const path of [`src/${moduleOf(entry)}.ts`, `build/types/${moduleOf(entry)}.d.ts`])
      visit(posix.join(root, path), entry)
  }
  visit(`${root}src/cli/main.ts`, 'cli')
  visit(`${root}src/base/errors/errors.ts`, 'errors')
  return users
}

/** By what is loaded together: the errors, the plain lock, the client with every kind and what integrations have beside it, the stores of a family. */
function sharedFile(_module: string, users: ReadonlySet<string>): string | null {
  // It is loaded when it is used.
  if (users.size === 0) return null
  const used = (...by: string[]): boolean => by.some((entry) => users.has(entry))
  if (used('errors')) return 'errors'
  if (used('lock')) return 'lock'
  if (used('.', 'otel', 'nestjs')) return 'client'
  if (used('etcd', 'zookeeper', 'memcached')) return 'session'
  // What names a file loads no rows for it.
  if (used('url')) return 'url'
  if (used('postgres', 'mysql', 'sqlite', 'transactions')) return 'rows'
  if (used('ui')) return 'operator'
  return 'client'
}

function save(path: string, text: string): void {
  const file = `${root}${path}`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
