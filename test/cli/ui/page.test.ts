/** The page in a real browser, of locks on a real server. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Holdfast } from '../../../src/index.js'
import { plainRing } from '../../deadlock/ring.js'
import { bringServer, type Server } from '../../servers/index.js'
import { standaloneClient } from '../../setup/clients.js'
import { eventually } from '../../setup/eventually.js'
import { useProgram } from '../program.js'
import { openBrowser, refusal } from './chromium.js'
import { serve } from './serving.js'

const HOSTILE = '<img src=x onerror="document.title=1">\u202egnirts\u0007\u001b[31m'
const TOKEN = 'correct-horse-battery-staple'
const PATIENCE_MS = 20_000

describe.skipIf(refusal !== undefined)(`holdfast ui in Chromium${refusal ? `: ${refusal}` : ''}`, () => {
  const program = useProgram()
  const undo: Array<() => unknown> = []
  let browser: Browser
  let server: Server

  beforeAll(async () => {
    browser = await openBrowser()
    server = await bringServer({ flavour: 'any', args: [] })
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
  })
  beforeEach(() => {
    const client = standaloneClient({ host: server.host, port: server.port })
    undo.push(async () => {
      await client.call('FLUSHALL')
      client.disconnect()
    })
  })
  afterEach(async () => {
    for (const each of undo.splice(0).reverse()) await each()
  })

  const holdfastOf = (label: string): Holdfast => {
    const client = standaloneClient({ host: server.host, port: server.port })
    const holdfast = new Holdfast(client, { label })
    undo.push(async () => {
      await holdfast.close()
      client.disconnect()
    })
    return holdfast
  }

  /** A page, of which nothing may go wrong unnoticed. */
  const open = async (url: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1100, height: 700 }, ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    const wrong: string[] = []
    page.on('pageerror', (error) => wrong.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(url).origin)) wrong.push(`a request to ${request.url()}`)
    })
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) wrong.push(message.text())
    })
    undo.push(async () => {
      await context.close()
      expect(wrong).toEqual([])
    })
    await page.goto(url)
    return page
  }

  const shows = async (page: Page, text: string | RegExp): Promise<void> => {
    await page.getByText(text).filter({ visible: true }).first().waitFor()
  }

  it('shows who holds a lock and who waits, that it passes on, is freed and is taken', async () => {
    const [first, second] = [holdfastOf('web-1:11'), holdfastOf('web-2:22')]
    const { url } = await serve(program, server.url)
    const page = await open(url)
    await shows(page, 'No lock is held.')
    const hold = await first.lock('invoice:42').acquire()
    const row = page.getByRole('row', { name: /invoice:42/ })
    await row.getByText('web-1:11').waitFor()
    await shows(page, 'invoice:42 was taken by web-1:11.')
    const next = second.lock('invoice:42').acquire()
    await row.locator('.count').getByText('1', { exact: true }).waitFor()
    await hold.release()
    await row.getByText('web-2:22').waitFor()
    await shows(page, 'invoice:42 passed from web-1:11 to web-2:22.')
    await (await next).release()
    await row.getByText('free').waitFor()
    await shows(page, 'No lock is held.')
    await shows(page, /invoice:42 was released, or freed by force; it was held by web-2:22/)
  })

  it('shows leases that end, and moves their bars between looks', async () => {
    const { url } = await serve(program, server.url)
    const page = await open(url)
    await shows(page, 'No lock is held.')
    // Long enough for a busy machine to look at it twice.
    await holdfastOf('web-1:11').lock('short').acquire({ leaseMs: 10_000 })
    const bar = page.locator('.bar').first()
    await bar.waitFor({ state: 'attached' })
    const width = async (): Promise<number> => (await bar.boundingBox())?.width ?? 0
    const before = await eventually(width, (value) => value > 0)
    await eventually(width, (value) => value < before / 2)
    await shows(page, /short is no longer held: the lease of web-1:11 was over/)
  })

  it('shows every kind', async () => {
    const holdfast = holdfastOf('web-1:11')
    await holdfast.lock('a').acquire()
    await holdfast.fencedLock('b').acquire()
    await holdfast.readWriteLock('c').readLock().acquire()
    await holdfast.semaphore('d').trySetPermits(3)
    await holdfast.semaphore('d').acquire({ permits: 2 })
    await holdfast.permitExpirableSemaphore('e').trySetPermits(3)
    await holdfast.permitExpirableSemaphore('e').acquire()
    await holdfast.countDownLatch('f').trySetCount(2)
    const waiting = holdfast.countDownLatch('f').await()
    waiting.catch(() => undefined)
    const { url } = await serve(program, server.url)
    const page = await open(`${url}?sort=name`)
    await shows(page, '6 locks')
    const rows = await page.locator('#rows tr').allTextContents()
    const kinds = [
      'lock',
      'fenced lock',
      'read-write lock',
      'semaphore',
      'permit-expirable semaphore',
      'count-down latch',
    ]
    for (const [index, kind] of kinds.entries()) expect(rows[index]).toContain(`${'abcdef'[index]}${kind}`)
  })

  it('a lock’s page: its line in order, its token, and its history while one watches', async () => {
    const [first, second, third] = [holdfastOf('web-1:11'), holdfastOf('web-2:22'), holdfastOf('web-3:33')]
    const hold = await first.fencedLock('deploy').acquire()
    const line = [second, third].map(async (each) => {
      const waiting = new Promise((resolve) => each.once('waiting', resolve))
      const next = each.fencedLock('deploy').acquire()
      await waiting
      return await next
    })
    for (const each of line) each.catch(() => undefined)
    const { url } = await serve(program, server.url)
    const page = await open(url)
    await page.locator('#rows').getByRole('link', { name: 'deploy' }).click()
    await page.getByRole('heading', { name: 'deploy', level: 1 }).waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: /web-[23]/ })
      .nth(1)
      .waitFor()
    await hold.release()
    await shows(page, /It passed from web-1:11 to web-/)
    await page.getByRole('link', { name: 'All locks', exact: true }).click()
    await shows(page, /deploy passed from web-1:11 to web-/)
  })

  it('names a deadlock, on the page of each of its locks too', async () => {
    const ring = await plainRing(
      ['web-1:11', 'web-2:22', 'web-3:33'].map((label) => holdfastOf(label)),
      'account',
    )
    const { url } = await serve(program, server.url)
    const page = await open(url)
    const named = page.getByRole('region', { name: 'Deadlock' })
    await named.getByText('web-1:11 holds the lock account:0 and waits for the lock account:1.').waitFor()
    expect(await named.getByRole('listitem').count()).toBe(3)
    const other = await open(`${url}lock?name=account:2`)
    await other
      .getByRole('region', { name: 'Deadlock' })
      .getByText('web-3:33 holds the lock account:2 and waits for the lock account:0.')
      .waitFor()
    await holdfastOf('operator').lock('account:0').forceUnlock()
    await named.waitFor({ state: 'hidden' })
    await Promise.all(ring.sections)
  })

  it('names and labels of any kind are text', async () => {
    const holdfast = holdfastOf('<b onclick=alert(1)>bold</b>')
    await holdfast.lock(HOSTILE).acquire()
    await holdfast.lock('x'.repeat(65_536)).acquire()
    const { url } = await serve(program, server.url)
    const page = await open(url)
    await shows(page, '2 locks')
    const row = page
      .locator('#rows tr')
      .filter({ hasText: '<img src=x onerror="document.title=1">\\u{202e}gnirts\\u{7}\\u{1b}[31m' })
    await row.getByText('<b onclick=alert(1)>bold</b>').waitFor()
    expect(await page.locator('img, tbody b').count()).toBe(0)
    await shows(page, /^x{100,119}…$/)
    await row.getByRole('link').click()
    await page.getByRole('heading', { level: 1 }).filter({ hasText: '<img src=x' }).waitFor()
    await shows(page, 'held')
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.title()).toContain('· Holdfast')
  })

  it('ten thousand locks in pages of fifty, found by a part of their names, the waited-for ones first', async () => {
    const client = standaloneClient({ host: server.host, port: server.port })
    undo.push(() => client.disconnect())
    for (let from = 0; from < 10_000; from += 1_000) {
      const script =
        "for i = ARGV[1], ARGV[1] + 999 do redis.call('HSET', 'many:' .. i, 'x:1', 1) redis.call('PEXPIRE', 'many:' .. i, 600000) end"
      await client.call('EVAL', script, '0', from)
    }
    const { url } = await serve(program, server.url)
    const page = await open(url)
    const rows = page.locator('#rows tr')
    await shows(page, /^1–50 of [\d,]+ locks/)
    expect(await rows.count()).toBe(50)
    const waiter = holdfastOf('web-1:11')
    waiter
      .lock('many:7777')
      .acquire()
      .catch(() => undefined)
    await page.getByLabel('Filter').fill('y:77')
    await shows(page, '1–50 of 111 locks')
    await rows.first().getByText('many:7777').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await shows(page, '51–100 of 111 locks')
    await page.getByText('Name', { exact: true }).click()
    await rows.first().getByText('many:77', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?filter=y%3A77&sort=name')
    await page.getByLabel('Filter').fill('many:77?7')
    await shows(page, '10 locks')
    expect(await rows.count()).toBe(10)
  })

  it('tells times in words, and the exact one to who points at them', async () => {
    await holdfastOf('web-1:11').lock('a').acquire()
    const { url } = await serve(program, server.url)
    const page = await open(url)
    const time = page.locator('#rows time').first()
    await time.filter({ hasText: /^\d+ s$/ }).waitFor()
    expect(await time.getAttribute('title')).toMatch(/^since \d+ \w+ \d{4}, \d\d:\d\d:\d\d$/)
  })

  it('says what to do where there is nothing to see', async () => {
    const { url } = await serve(program, server.url)
    const page = await open(url)
    await shows(page, 'holdfast run invoice:42 -- sleep 60')
    await page.getByLabel('Filter').fill('invoice:42')
    await page.getByRole('link', { name: 'Open the lock “invoice:42”' }).click()
    await shows(page, 'It is free: nobody holds it, and nobody waits for it.')
  })

  it('the focus stays where it is while rows come and go', async () => {
    const holdfast = holdfastOf('web-1:11')
    await holdfast.lock('m').acquire()
    const { url } = await serve(program, server.url)
    const page = await open(url)
    const link = page.locator('#rows').getByRole('link', { name: 'm', exact: true })
    await link.focus()
    await holdfast.lock('a').acquire()
    await holdfast.lock('z').acquire()
    await shows(page, '3 locks')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('m')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'm', level: 1 }).waitFor()
  })

  describe('frees a lock', () => {
    it('only where that is allowed', async () => {
      await holdfastOf('web-1:11').lock('stuck').acquire()
      const { url } = await serve(program, server.url)
      const page = await open(`${url}lock?name=stuck`)
      await shows(page, 'held')
      expect(await page.getByRole('button', { name: /Free/ }).count()).toBe(0)
    })

    it('once its kind and its holder were shown and confirmed, by keyboard too', async () => {
      const holdfast = holdfastOf('web-1:11')
      const hold = await holdfast.fencedLock('stuck').acquire()
      const { url, running } = await serve(program, server.url, ['--allow-unlock'])
      const page = await open(`${url}lock?name=stuck`)
      await page.getByRole('button', { name: 'Free this fenced lock…' }).press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Free the fenced lock “stuck”?' })
      await dialog.getByText('held by web-1:11').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      hold.assertHeld()
      expect(await holdfast.fencedLock('stuck').isLocked()).toBe(true)
      await page.getByRole('button', { name: 'Free this fenced lock…' }).press('Enter')
      await dialog.getByRole('button', { name: 'Free it' }).press('Enter')
      await page
        .getByRole('status')
        .filter({ hasText: 'Lock "stuck" was freed. Nobody waited for it.' })
        .waitFor()
      await shows(page, /^free$/)
      expect(await holdfast.fencedLock('stuck').isLocked()).toBe(false)
      await running.says('a page freed')
    })

    it('and says who has it next', async () => {
      const [first, second] = [holdfastOf('web-1:11'), holdfastOf('web-2:22')]
      await first.lock('stuck').acquire()
      const next = second.lock('stuck').acquire()
      const { url } = await serve(program, server.url, ['--allow-unlock'])
      const page = await open(`${url}lock?name=stuck`)
      await page.getByRole('button', { name: 'Free this lock…' }).click()
      await page.getByRole('button', { name: 'Free it' }).click()
      await page.getByRole('status').filter({ hasText: 'was freed. web-2:22 has it now' }).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await (await next).release()
    })

    it('not for another holder than the one that was shown', async () => {
      const [first, second] = [holdfastOf('web-1:11'), holdfastOf('web-2:22')]
      const hold = await first.lock('stuck').acquire()
      const { url } = await serve(program, server.url, ['--allow-unlock'])
      const page = await open(`${url}lock?name=stuck`)
      await page.getByRole('button', { name: 'Free this lock…' }).click()
      await hold.release()
      const other = await second.lock('stuck').acquire()
      await page.getByRole('button', { name: 'Free it' }).click()
      const answer = page.getByRole('alert').filter({ hasText: 'Its holders are others by now' })
      await answer.waitFor()
      await shows(page, /It passed from|It was taken by web-2:22/)
      expect(await answer.isVisible()).toBe(true)
      other.assertHeld()
      expect(await second.lock('stuck').isLocked()).toBe(true)
    })
  })

  it('asks for the token, which is never in an address', async () => {
    await holdfastOf('web-1:11').lock('secret').acquire()
    const { url } = await serve(program, server.url, [], { HOLDFAST_UI_TOKEN: TOKEN })
    const page = await open(url)
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    const dialog = page.getByRole('dialog', { name: 'This page takes a token' })
    await dialog.getByLabel('Token').fill('not-the-token-at-all')
    await dialog.getByRole('button').click()
    await dialog.getByText('That is not the token.').waitFor()
    expect(await page.getByText('secret').count()).toBe(0)
    await dialog.getByLabel('Token').fill(TOKEN)
    await page.keyboard.press('Enter')
    await page.locator('#rows').getByRole('link', { name: 'secret' }).click()
    await shows(page, 'held')
    expect(addresses.filter((address) => address.includes(TOKEN))).toEqual([])
  })

  it('says that the server is away, and goes on when it is back', async () => {
    const other = await bringServer({ flavour: 'any', args: [] })
    undo.push(() => other.stop())
    const { url } = await serve(program, other.url)
    const page = await open(url)
    await shows(page, /^Live$/)
    await other.kill()
    await shows(page, /cannot reach redis:|did not answer/)
    await other.restart({ keepData: false })
    await page.getByText('Live', { exact: true }).waitFor()
  })

  it('says that the program has ended, and goes on when it is back', async () => {
    const { url, running } = await serve(program, server.url)
    const page = await open(url)
    await shows(page, /^Live$/)
    running.child.kill('SIGINT')
    await running.outcome
    await shows(page, 'No answer; trying again…')
    await serve(program, server.url, ['--port', new URL(url).port])
    await page.getByText('Live', { exact: true }).waitFor()
  })
})
