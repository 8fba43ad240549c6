/**
 * Makes the README's links and pictures lead to the repository (`absolute`), as they must on npm, whose pages have no folder beside them,
 * and back to the files beside it (`relative`). The address is that of `repository` in package.json; what it leads to is the release's tag.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'

const file = new URL('../README.md', import.meta.url)
const { repository, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const address = repository.url.replace(/^git\+|\.git$/g, '')
const pages = `${address}/blob/v${version}/`
const pictures = `${address}/raw/v${version}/`

const text = readFileSync(file, 'utf8')
if (process.argv[2] === 'absolute')
  writeFileSync(
    file,
    text.replace(/\]\((?!\w+:|#)([^)\s]+)\)/g, (_, path: string) => {
      return `](${/\.(svg|png)$/.test(path) ? pictures : pages}${path})`
    }),
  )
else writeFileSync(file, text.replaceAll(`](${pages}`, '](').replaceAll(`](${pictures}`, ']('))
