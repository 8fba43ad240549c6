/** What is published: the right files, found by every sort of importer, no more than needed. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { expect, test } from 'vitest'
import { npm, type Packed, root } from './packed.js'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { './package.json': _, ...waysIn }: Record<string, object> = manifest.exports
/** Vitest cannot be required, and its users import. */
const onVitest = './conformance'

export function tarballCases(packed: Packed): void {
  test('the tarball has what a user needs, and nothing else', () => {
    const built = Object.keys(waysIn).flatMap((way) =>
      ['dist/*.d.ts', 'dist/*.js', 'dist/cjs/*.d.ts', 'dist/cjs/*.js']
        .concat(way === onVitest ? [] : 'dist/cjs/*.mjs')
        .map((pattern) => posix.normalize(pattern.replace('*', `${way}/index`))),
    )
    expect(packed.paths.filter((path) => !/^dist\/(cjs\/)?chunks\/[\w.-]+\.(js|d\.ts)$/.test(path))).toEqual(
      [
        'LICENSE',
        'README.md',
        ...built,
        'dist/cjs/package.json',
        'dist/cli/main.js',
        // docs/prometheus.md tells to import it.
        'etc/grafana/holdfast.json',
        'man/holdfast.1',
        'package.json',
      ].sort(),
    )
  })

  test('every way in is there for every sort of importer', () => {
    expect(waysIn).toMatchObject({ '.': {}, './lock': {}, './redis': {} })
    for (const [way, conditions] of Object.entries(waysIn)) {
      const esm = `./${posix.join('dist', way, 'index')}`
      const cjs = `./${posix.join('dist/cjs', way, 'index')}`
      expect(Object.entries(conditions)).toEqual([
        ['types', { require: `${cjs}.d.ts`, default: `${esm}.d.ts` }],
        // Where `require` takes an ES module, and in bundlers: the ES module, for both sorts of importer.
        ['module-sync', `${esm}.js`],
        ['module', `${esm}.js`],
        // Elsewhere the CommonJS one, for both.
        ['import', way === onVitest ? `${esm}.js` : `${cjs}.mjs`],
        ['default', `${cjs}.js`],
      ])
    }
    // TypeScript's old resolution, which reads no exports.
    const named = Object.keys(waysIn).filter((way) => way !== '.')
    expect(manifest.typesVersions['*']).toEqual(
      Object.fromEntries(
        named.map((way) => [way.slice(2), [`./${posix.join('dist/cjs', way, 'index.d.ts')}`]]),
      ),
    )
  })

  test('every link and picture of the README leads to a file of the repository, from npm too', async () => {
    const { stdout } = await promisify(execFile)('tar', ['-xzOf', packed.file, 'package/README.md'])
    const targets = [...stdout.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const address = manifest.repository.url.replace(/^git\+|\.git$/g, '')
    const [pages, pictures] = ['blob', 'raw'].map((way) => `${address}/${way}/v${manifest.version}/`)
    const own = targets.filter((target) => !target.startsWith('https://img.shields.io/'))
    expect(own).toContain(`${pages}docs/lock.md`)
    expect(own).toContain(`${pictures}docs/demo.svg`)
    for (const target of own) {
      const [, path = '', part] = /^https:.*?\/(?:blob|raw)\/v[^/]+\/([^#]+)(#.*)?$/.exec(target) ?? []
      expect([target, existsSync(join(root, path))]).toEqual([target, path !== ''])
      if (part === undefined) continue
      const headings = (await readFile(join(root, path), 'utf8')).matchAll(/^#+ (.+)$/gm)
      expect([...headings].map(([, text = '']) => `#${text.toLowerCase().replaceAll(' ', '-')}`)).toContain(
        part,
      )
    }
  })

  test('npm would publish it', { timeout: 180_000 }, async () => {
    const said = await npm(tmpdir(), ['publish', packed.file, '--dry-run', '--access', 'public'])
    expect(said).toMatch(/^\+ holdfast@/m)
  })

  test('the tarball is small', () => {
    expect(packed.paths.length).toBeLessThanOrEqual(120)
    expect(packed.unpackedBytes).toBeLessThanOrEqual(3_000_000)
  })

  test('publint has nothing to say', async () => {
    const pack = { tarball: new Uint8Array(await readFile(packed.file)).buffer }
    const { messages } = await publint({ pack, level: 'suggestion', strict: true })
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  })

  test('arethetypeswrong finds the types right for every importer there is', {
    timeout: 180_000,
  }, async () => {
    const attw = join(root, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js')
    const args = [attw, packed.file, '--no-color', '--format', 'ascii']
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: unknown) => {
      throw new Error(`attw refuses: ${Object(error).stdout ?? error}`)
    })
    for (const way of ['lock', 'memory', 'transactions']) expect(stdout).toContain(`holdfast/${way}`)
  })
}
