/** Bundles what a browser gets of the live page into texts in a module: so `holdfast/ui` needs no file beside it, and no package of the page's. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { licences } from './licences.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = 'src/cli/ui/page'

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { page: join(folder, 'page.tsx'), style: join(folder, 'page.css') },
  outdir: 'page',
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  metafile: true,
  write: false,
  legalComments: 'none',
  logLevel: 'warning',
})

const textOf = (ending: string): string => {
  const file = outputFiles.find(({ path }) => path.endsWith(ending))
  if (!file) throw new Error(`esbuild made no ${ending}`)
  return file.text.trim()
}
const fileOf = (name: string): string => readFileSync(join(root, folder, name), 'utf8').trim()

const texts = {
  html: fileOf('page.html'),
  css: textOf('style.css'),
  js: textOf('page.js'),
  icon: fileOf('icon.svg'),
}
writeFileSync(
  join(root, 'src/cli/ui/page.generated.ts'),
  `// Generated from ${folder} by scripts/embed-page.ts. Do not edit.\n` +
    licences(Object.keys(metafile.inputs)) +
    `/** The texts, as JSON, compressed. */\n` +
    `export const compressed: string =\n  '${brotliCompressSync(JSON.stringify(texts)).toString('base64')}'\n`,
)
