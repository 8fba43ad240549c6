/** The site of `npm run site`: every page is there and can be found, every link leads somewhere, and nothing comes from elsewhere. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inflateSync } from 'node:zlib'
import { LinkChecker, LinkState } from 'linkinator'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
let site = ''
beforeAll(async () => {
  site = await mkdtemp(join(tmpdir(), 'holdfast-site-'))
  const build = ['--import', 'tsx', 'scripts/site.ts', site]
  // Ends with 1 if there is anything that TypeDoc warns of.
  await promisify(execFile)(process.execPath, build, { cwd: root })
}, 240_000)
afterAll(() => rm(site, { recursive: true, force: true }))

test('every page of docs/ is there, under its title, and is found by the search', async () => {
  const pages = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'))
  const titles = await Promise.all(
    pages.map(async (name) => /^# (.+)$/m.exec(await readFile(join(root, 'docs', name), 'utf8'))?.[1]),
  )
  const packed = /"([^"]+)"/.exec(await readFile(join(site, 'assets/search.js'), 'utf8'))?.[1] ?? ''
  const { rows }: { rows: Array<{ name: string }> } = JSON.parse(
    inflateSync(Buffer.from(packed, 'base64')).toString(),
  )
  const found = rows.map(({ name }) => name)
  expect(found).toEqual(expect.arrayContaining(titles))
  expect(found).toEqual(expect.arrayContaining(['Holdfast', 'LockTimeoutError', 'watchdogMs']))
})

test('no link is dead, nor any part of a page to which one leads', { timeout: 240_000 }, async () => {
  const { links } = await new LinkChecker().check({
    path: site,
    recurse: true,
    checkFragments: true,
    // Other people's pages are not a matter of this test.
    linksToSkip: ['^https?://(?!localhost)'],
  })
  const checked = links.filter(({ state }) => state !== LinkState.SKIPPED)
  expect(checked.length).toBeGreaterThan(200)
  expect(
    checked.filter(({ state }) => state === LinkState.BROKEN).map(({ parent, url }) => `${parent}: ${url}`),
  ).toEqual([])
})

test('the pages load nothing from other hosts but the badges', async () => {
  const pages = (await readdir(site, { recursive: true })).filter((name) => name.endsWith('.html'))
  const texts = await Promise.all(pages.map((name) => readFile(join(site, name), 'utf8')))
  const loaded = texts.flatMap((text) => [...text.matchAll(/(?:src|<link[^>]*href)="(https?:\/\/[^/"]*)/g)])
  expect(new Set(loaded.map(([, host]) => host))).toEqual(new Set(['https://img.shields.io']))
})
