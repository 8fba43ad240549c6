/** The map in CONTRIBUTING.md is that of the folders. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

/** The folders of `src` that the map shows, as paths. */
async function drawn(): Promise<string[]> {
  const page = await readFile(new URL('CONTRIBUTING.md', root), 'utf8')
  const [, lines = ''] = /^src\/ .*\n((?: {2}.*\n)+)/m.exec(page) ?? []
  let room = ''
  return lines
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', name] = /^( {2,4})(\S+)\//.exec(line) ?? []
      if (name === undefined) return []
      if (indent.length === 2) room = name
      return indent.length === 2 ? [name] : [`${room}/${name}`]
    })
    .sort()
}

test('CONTRIBUTING.md names each room of src and each folder in it, and no other', async () => {
  const source = fileURLToPath(new URL('src/', root))
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => relative(source, join(parentPath, name)).split(sep))
    .filter((path) => path.length <= 2)
    .map((path) => path.join('/'))
  expect(await drawn()).toEqual(folders.sort())
})
