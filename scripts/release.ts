/**
 * Makes a release: gives the changelog's Unreleased its version and date, sets the version, commits and tags, and shows what npm would
 * publish. The tag, once it is pushed, has the repository's CI publish it. See docs/releasing.md.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'

const root = new URL('../', import.meta.url)
const changelog = new URL('CHANGELOG.md', root)
const UNRELEASED = '## [Unreleased]\n'

const [step = '', ...others] = process.argv.slice(2)
if (!/^(major|minor|patch|\d+\.\d+\.\d+(-[\w.]+)?)$/.test(step) || others.length > 0)
  throw new Error('Which version? npm run release -- major, minor, patch, or a version such as 1.2.3')
if (run('git', 'status', '--porcelain') !== '')
  throw new Error('There are changes that are not committed. Commit them, or put them away.')
if (readFileSync(new URL('package.json', root), 'utf8').includes('github.com/OWNER/'))
  throw new Error('package.json has no public address yet: npm run address -- https://github.com/…')
const text = readFileSync(changelog, 'utf8')
const [before = '', after] = text.split(UNRELEASED)
if (after === undefined || /^\s*(## |$)/.test(after))
  throw new Error('CHANGELOG.md has nothing under Unreleased: say what users will notice.')

const version = run('npm', 'version', step, '--no-git-tag-version').replace(/^v/, '')
const today = new Date().toISOString().slice(0, 10)
writeFileSync(changelog, `${before}${UNRELEASED}\n## [${version}] - ${today}\n${after}`)
run('git', 'commit', '--all', '--message', `Release ${version}`)
run('git', 'tag', '--annotate', `v${version}`, '--message', `Release ${version}`)
execFileSync('npm', ['publish', '--dry-run'], { cwd: root, stdio: 'inherit' })
console.log(
  `To publish it: git push --follow-tags. To take it back: git tag -d v${version} && git reset --hard HEAD~1`,
)

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: root, encoding: 'utf8' }).trim()
}
