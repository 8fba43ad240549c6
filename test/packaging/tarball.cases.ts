/** What is published: the right files, found by every sort of importer, no more than needed. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

/** @param packedOf what was packed. */
export function tarballCases(packedOf: () => Packed): void {
  test('the tarball has what a user needs, and nothing else', () => {
    expect(packedOf().paths).toEqual(
      expect.arrayContaining([
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'dist/cli/main.js',
        // docs/prometheus.md tells to import it.
        'etc/grafana/holdfast.json',
        'dist/redis/scripts/scripts.generated.js',
        'lua/acquire.lua',
        'package.json',
        'src/cli/ui/page/page.js',
        // Maps lead here.
        'src/index.ts',
      ]),
    )
    const others = packedOf().paths.filter(
      (path) =>
        !/^(dist|src|lua|man)\/|^docs\/[^/]*\.md$|^etc\/grafana\/[^/]*\.json$|^(CHANGELOG|README|SECURITY)\.md$|^LICENSE$|^package\.json$/.test(
          path,
        ),
    )
    expect(others).toEqual([])
    expect(packedOf().paths.filter((path) => /test|fixture|tsconfig|\.tsbuildinfo$/.test(path))).toEqual([])
  })

  test('what is built is what sources and ways in there are, and nothing is left of an older build', () => {
    const modules = packedOf()
      .paths.filter((path) => /^src\/.*\.ts$/.test(path))
      .map((path) => path.slice('src/'.length, -'.ts'.length))
      // A text of a hundred kilobytes that nobody reads is not there twice.
      .concat('redis/watchdog-thread/source.generated')
    const built = packedOf().paths.filter((path) => path.startsWith('dist/'))
    const required = built.filter((path) => /^dist\/cjs\/.*\.js$/.test(path))
    expect(modules).toEqual(
      expect.arrayContaining(required.map((path) => path.slice('dist/cjs/'.length, -'.js'.length))),
    )
    const expected = [
      ...modules.flatMap((name) => [`dist/${name}.js`, `dist/${name}.js.map`]),
      ...modules.filter((name) => !name.startsWith('cli/')).map((name) => `dist/cjs/${name}.d.ts`),
      ...required,
      'dist/cjs/package.json',
      ...Object.keys(waysIn).map((way) => posix.join('dist', way, 'index.d.ts')),
      ...Object.keys(waysIn)
        .filter((way) => way !== onVitest)
        .map((way) => posix.join('dist/cjs', way, 'index.mjs')),
    ]
    expect(built).toEqual(expected.sort())
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

  test('the pages that the README leads to are there too', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    const pages = [...readme.matchAll(/\]\(([\w./-]+\.md)(#[^)]*)?\)/g)].map(([, page]) => page)
    expect(pages).toContain('docs/lock.md')
    // How to work on Holdfast is of no use without its sources.
    expect(
      pages.filter((page) => page !== 'CONTRIBUTING.md' && !packedOf().paths.includes(page ?? '')),
    ).toEqual([])
  })

  test('npm would publish it', { timeout: 180_000 }, async () => {
    expect(await npm(tmpdir(), ['publish', packedOf().file, '--dry-run', '--access', 'public'])).toMatch(
      /^\+ holdfast@/m,
    )
  })

  test('the tarball is small', () => {
    console.log(
      `tarball: ${packedOf().packedBytes} bytes, ${packedOf().unpackedBytes} unpacked, ${packedOf().paths.length} files`,
    )
    expect(packedOf().packedBytes).toBeLessThan(2_225_000)
  })

  test('publint has nothing to say', async () => {
    const tarball = await readFile(packedOf().file)
    const view = new Uint8Array(tarball).buffer
    const { messages } = await publint({ pack: { tarball: view }, level: 'suggestion', strict: true })
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  })

  test('arethetypeswrong finds the types right for every importer there is', {
    timeout: 180_000,
  }, async () => {
    const attw = join(root, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js')
    const args = [attw, packedOf().file, '--no-color', '--format', 'ascii']
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: unknown) => {
      throw new Error(`attw refuses: ${Object(error).stdout ?? error}`)
    })
    expect(stdout).toContain('holdfast/lock')
    expect(stdout).toContain('holdfast/memory')
    expect(stdout).toContain('holdfast/transactions')
  })
}
