/** The site of `npm run site`: every page can be found, by menu and search, fits a phone, and no link is dead. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import express from 'express'
import { LinkChecker, LinkState } from 'linkinator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, refusal } from '../cli/ui/chromium.js'
import { duringAll } from '../setup/during.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const server = createServer()
let [site, address] = ['', '']
beforeAll(async () => {
  site = await mkdtemp(join(tmpdir(), 'holdfast-site-'))
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/site.ts', site], { cwd: root })
  server.on('request', express().use(express.static(site, { extensions: ['html'] })))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}, 600_000)
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(site, { recursive: true, force: true })
})

const pagesOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.html'))

test('every page of docs/ is in the sidebar of every other', async () => {
  const docs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'))
  const text = await readFile(join(site, 'guide.html'), 'utf8')
  expect(docs.filter((name) => !text.includes(`href="/${name.replace('.md', '.html')}"`))).toEqual([])
})

test('no link is dead, nor any part of a page to which one leads', { timeout: 600_000 }, async () => {
  const { links } = await new LinkChecker().check({
    path: address,
    recurse: true,
    checkFragments: true,
    // Other people's pages are not a matter of this test.
    linksToSkip: [`^https?://(?!${address.slice('http://'.length)})`],
  })
  const checked = links.filter(({ state }) => state !== LinkState.SKIPPED)
  const broken = checked.filter(({ state }) => state === LinkState.BROKEN)
  expect(checked.length).toBeGreaterThan(300)
  expect(broken.map(({ parent, url }) => `${parent}: ${url}`)).toEqual([])
})

test('the pages load nothing from other hosts', async () => {
  const texts = await Promise.all((await pagesOf(site)).map((name) => readFile(join(site, name), 'utf8')))
  const loaded = texts.flatMap((text) => [...text.matchAll(/(?:src|<link[^>]*href)="(https?:\/\/[^/"]*)/g)])
  expect(loaded.map(([, host]) => host)).toEqual([])
})

describe.skipIf(refusal)(`in Chromium${refusal ? `: ${refusal}` : ''}`, { timeout: 300_000 }, () => {
  const browser = duringAll(openBrowser)

  const open = async (path: string, width: number, colorScheme: 'light' | 'dark' = 'light') => {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme })
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    await page.goto(`${address}${path}`, { waitUntil: 'load' })
    return page
  }

  test('fifteen searches find the guide first', async () => {
    const page = await open('/guide', 1_280)
    const input = page.locator('.VPLocalSearchBox input')
    const first = page.locator('.VPLocalSearchBox .result').first()
    // The page hears keys when its script runs, and has results when its index has come. Those of other words stay until then.
    const firstFor = async (words: string): Promise<string> => {
      if (!(await input.isVisible())) await page.keyboard.press('Control+k')
      await input.fill(words, { timeout: 5_000 })
      return (await first.getAttribute('href', { timeout: 5_000 })) ?? ''
    }
    for (const [words, guide] of Object.entries(searches)) {
      await expect
        .poll(() => firstFor(words).catch(String), { message: words, timeout: 60_000 })
        .toMatch(`/${guide}.html`)
      await page.keyboard.press('Escape')
    }
  })

  test('no page is wider than a phone', async () => {
    const page = await open('/', 400)
    const wide: string[] = []
    for (const name of await pagesOf(site)) {
      await page.goto(`${address}/${name}`, { waitUntil: 'load' })
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      if (width > 400) wide.push(`${name}: ${width} px`)
    }
    expect(wide).toEqual([])
  })

  test('every example can be copied', async () => {
    const page = await open('/cookbook', 1_280)
    expect(await page.locator('div[class*=language-]').count()).toBeGreaterThan(10)
    expect(await page.locator('div[class*=language-]:not(:has(> button.copy))').count()).toBe(0)
  })

  test('whoever prefers the dark gets it', async () => {
    expect(await (await open('/guide', 1_280, 'dark')).locator('html.dark').count()).toBe(1)
  })
})

/** What somebody types who does not know our names, and the page that answers. */
const searches: Readonly<Record<string, string>> = {
  semaphore: 'semaphore',
  deadlock: 'deadlocks',
  'rate limit': 'cookbook',
  fencing: 'fencing',
  redlock: 'quorum',
  watchdog: 'guide',
  postgres: 'postgres',
  etcd: 'etcd',
  'read write lock': 'read-write-lock',
  'leader election': 'leader',
  'cron job': 'cookbook',
  metrics: 'metrics',
  nestjs: 'nestjs',
  lease: 'guide',
  throttle: 'cookbook',
}
