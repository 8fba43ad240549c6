/** What is published: the right files, found by every sort of importer, no more than needed. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { expect, test } from 'vitest'
import { type Packed, root } from './packed.js'

/** @param packedOf what was packed. */
export function tarballCases(packedOf: () => Packed): void {
  test('the tarball has what a user needs, and nothing else', () => {
    expect(packedOf().paths).toEqual(
      expect.arrayContaining([
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'dist/cli/main.js',
        'dist/index.d.ts',
        'dist/index.js',
        'dist/index.js.map',
        'dist/memory/index.d.ts',
        'dist/memory/index.js',
        'dist/redis/scripts/scripts.generated.js',
        'lua/acquire.lua',
        'package.json',
        // Maps lead here.
        'src/index.ts',
      ]),
    )
    const others = packedOf().paths.filter(
      (path) => !/^(dist|src|lua)\/|^(CHANGELOG|README)\.md$|^LICENSE$|^package\.json$/.test(path),
    )
    expect(others).toEqual([])
    expect(packedOf().paths.filter((path) => /test|fixture|\.tsbuildinfo$/.test(path))).toEqual([])
  })

  test('every source in dist has its types and its map, and nothing is left of an older build', () => {
    const modules = packedOf()
      .paths.filter((path) => path.startsWith('src/'))
      .map((path) => path.slice('src/'.length, -'.ts'.length))
      // A text of a hundred kilobytes that nobody reads is not there twice.
      .concat('redis/watchdog-thread/source.generated')
    const built = packedOf().paths.filter((path) => path.startsWith('dist/'))
    expect(built).toEqual(
      modules
        .flatMap((name) => ['d.ts', 'd.ts.map', 'js', 'js.map'].map((end) => `dist/${name}.${end}`))
        .sort(),
    )
  })

  test('the tarball is small', () => {
    console.log(
      `tarball: ${packedOf().packedBytes} bytes, ${packedOf().unpackedBytes} unpacked, ${packedOf().paths.length} files`,
    )
    expect(packedOf().packedBytes).toBeLessThan(1_300_000)
  })

  test('publint has nothing to say', async () => {
    const manifest: Record<string, unknown> = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const tarball = await readFile(packedOf().file)
    const view = new Uint8Array(tarball).buffer
    const { messages } = await publint({ pack: { tarball: view }, level: 'suggestion', strict: true })
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  })

  test('arethetypeswrong finds the types right for every importer the package serves', {
    timeout: 60_000,
  }, async () => {
    const attw = join(root, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js')
    // Node has let CommonJS require ES modules since the oldest release the package admits.
    const rules = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm']
    const args = [attw, packedOf().file, ...rules, '--no-color', '--format', 'ascii']
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: unknown) => {
      throw new Error(`attw refuses: ${Object(error).stdout ?? error}`)
    })
    expect(stdout).toContain('holdfast/lock')
    expect(stdout).toContain('holdfast/memory')
    expect(stdout).toContain('holdfast/transactions')
  })
}
