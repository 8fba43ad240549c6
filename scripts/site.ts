/**
 * Builds the site, in site/ or the folder that is named: README.md as its first page, the pages in docs/, and the API behind them.
 * What builds it stands in etc/site, with packages of its own, which only this installs.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { describeApi, writePages } from './site-pages.js'
import { moduleOf, waysIn } from './ways-in.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const workshop = resolve(root, 'etc/site')
const out = resolve(process.argv[2] ?? resolve(root, 'site'))

if (!installed()) run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'])
await writePages()
const entries = waysIn.map((way) => {
  return `${way === '.' ? 'holdfast' : `holdfast/${way}`}=${resolve(root, 'src', `${moduleOf(way)}.ts`)}`
})
run(process.execPath, ['api.js', 'pages/api', ...entries])
await describeApi()
run(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build', '.', '--outDir', out])

/** Whether the packages are those of the lock file: then nothing is fetched. */
function installed(): boolean {
  const [wanted, there] = ['package-lock.json', 'node_modules/.package-lock.json'].map((name) => {
    const path = resolve(workshop, name)
    return existsSync(path) ? statSync(path).mtimeMs : 0
  })
  return there !== undefined && wanted !== undefined && there >= wanted
}

function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { cwd: workshop, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
