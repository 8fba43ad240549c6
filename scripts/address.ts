/** Sets the project's public address, from which package.json's links and those of the README on npm follow. See docs/releasing.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'

const [address = ''] = process.argv.slice(2)
if (!/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(address) || address.endsWith('.git'))
  throw new Error('Which address? npm run address -- https://github.com/owner/holdfast')
const file = new URL('../package.json', import.meta.url)
const text = readFileSync(file, 'utf8')
const former: string = JSON.parse(text).repository.url.replace(/^git\+|\.git$/g, '')
writeFileSync(file, text.replaceAll(former, address))
