/** The page of one lock in a real browser, and how it stands with the program and its server: the token, an outage, an end. */
import { describe, expect, it } from 'vitest'
import { plainRing } from '../../deadlock/ring.js'
import { bringServer } from '../../servers/index.js'
import { eventually } from '../../setup/eventually.js'
import { serve } from '../program.js'
import { Scene } from './scene.js'
import { describeInBrowser, shows } from './stage.js'

const TOKEN = 'correct-horse-battery-staple'
const HOSTILE = '<img src=x onerror="document.title=1">\u202egnirts\u0007\u001b[31m'

describeInBrowser('holdfast ui in Chromium, a lock', (stage) => {
  it('a lock’s page: its line in order, its token, and its history while one watches', async () => {
    const hold = await stage.scene.client('web-1:11').fencedLock('deploy').acquire()
    await stage.scene.line('deploy', ['web-2:22', 'web-3:33'])
    const page = await stage.openServed()
    await page.locator('#rows').getByRole('link', { name: 'deploy' }).click()
    await page.getByRole('heading', { name: 'deploy', level: 1 }).waitFor()
    const inLine = page.getByRole('listitem').filter({ hasText: /web-[23]/ })
    await inLine.nth(1).waitFor()
    await hold.release()
    await shows(page, /It passed from web-1:11 to web-/)
    await page.getByRole('link', { name: 'All locks', exact: true }).click()
    await shows(page, /deploy passed from web-1:11 to web-/)
  })

  it('names a deadlock, on the page of each of its locks too', async () => {
    const clients = ['web-1:11', 'web-2:22', 'web-3:33'].map((label) => stage.scene.client(label))
    const ring = await plainRing(clients, 'account')
    const page = await stage.openServed()
    const named = page.getByRole('region', { name: 'Deadlock' })
    await named.getByText('web-1:11 holds the lock account:0 and waits for the lock account:1.').waitFor()
    expect(await page.title()).toBe('1 deadlock · Locks · Holdfast')
    expect(await named.getByRole('listitem').count()).toBe(3)
    const other = await stage.open(new URL('lock?name=account:2', page.url()).href)
    await shows(other, 'web-3:33 holds the lock account:2 and waits for the lock account:0.')
    await stage.scene.client('operator').lock('account:0').forceUnlock()
    await named.waitFor({ state: 'hidden' })
    await Promise.all(ring.sections)
  })

  it('says what it holds up, through those who wait for it', async () => {
    const hold = await stage.scene.client('web-1:11').lock('root').acquire()
    await stage.scene.holdsUp(stage.scene.client('web-2:22'), 'middle', 'root')
    await stage.scene.holdsUp(stage.scene.client('web-3:33'), 'leaf', 'middle')
    const page = await stage.openServed('lock?name=root')
    const heldUp = page.getByRole('region', { name: 'It holds up 2 other locks' })
    await heldUp.locator('.node', { hasText: 'rootheld by web-1:11' }).waitFor()
    const middle = heldUp.locator('.tree > ul > li', { hasText: 'middleheld by web-2:22, who waits for' })
    await middle.locator('li', { hasText: 'leafheld by web-3:33, who waits for' }).waitFor()
    await heldUp.getByRole('link', { name: 'leaf' }).click()
    await page.getByRole('heading', { name: 'leaf', level: 1 }).waitFor()
    await shows(page, 'held')
    expect(await heldUp.count()).toBe(0)
    // What holds up most is above the list, too, and nothing that waits itself.
    const list = await stage.open(new URL('.', page.url()).href)
    await list.getByText('holds up 2 other locks').click()
    expect(await list.locator('details').count()).toBe(1)
    expect(await list.locator('details .node').allTextContents()).toEqual([
      'rootheld by web-1:11',
      expect.stringMatching(/^middleheld by web-2:22, who waits for \d+ s$/),
      expect.stringMatching(/^leafheld by web-3:33, who waits for \d+ s$/),
    ])
    await hold.release()
    await list.locator('details').waitFor({ state: 'detached' })
  })

  it('names and labels of any kind are text', async () => {
    const holdfast = stage.scene.client('<b onclick=alert(1)>bold</b>')
    await holdfast.lock(HOSTILE).acquire()
    await holdfast.lock('x'.repeat(65_536)).acquire()
    const page = await stage.openServed()
    await shows(page, '2 locks')
    const shown = '<img src=x onerror="document.title=1">\\u{202e}gnirts\\u{7}\\u{1b}[31m'
    const row = page.locator('#rows tr').filter({ hasText: shown })
    await row.getByText('<b onclick=alert(1)>bold</b>').waitFor()
    expect(await page.locator('img, tbody b').count()).toBe(0)
    await shows(page, /^x{100,119}…$/)
    await row.getByRole('link').click()
    await page.getByRole('heading', { level: 1 }).filter({ hasText: '<img src=x' }).waitFor()
    await shows(page, 'held')
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.title()).toContain('· Holdfast')
  })

  describe('frees a lock', () => {
    it('only where that is allowed', async () => {
      await stage.scene.client('web-1:11').lock('stuck').acquire()
      const page = await stage.openServed('lock?name=stuck')
      await shows(page, 'held')
      expect(await page.getByRole('button', { name: /Free/ }).count()).toBe(0)
    })

    it('once its kind and its holder were shown and confirmed, by keyboard too', async () => {
      const holdfast = stage.scene.client('web-1:11')
      const hold = await holdfast.fencedLock('stuck').acquire()
      const { url, running } = await stage.serve(['--allow-unlock'])
      const page = await stage.open(`${url}lock?name=stuck`)
      await page.getByRole('button', { name: 'Free this fenced lock…' }).press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Free the fenced lock “stuck”?' })
      await dialog.getByText('held by web-1:11').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      hold.assertHeld()
      expect(await holdfast.fencedLock('stuck').isLocked()).toBe(true)
      await page.getByRole('button', { name: 'Free this fenced lock…' }).press('Enter')
      await dialog.getByRole('button', { name: 'Free it' }).press('Enter')
      const freed = 'Lock "stuck" was freed. Nobody waited for it.'
      await page.getByRole('status').filter({ hasText: freed }).waitFor()
      await shows(page, /^free$/)
      expect(await holdfast.fencedLock('stuck').isLocked()).toBe(false)
      await running.says('a page freed')
    })

    it('and says who has it next', async () => {
      const [first, second] = [stage.scene.client('web-1:11'), stage.scene.client('web-2:22')]
      await first.lock('stuck').acquire()
      const next = second.lock('stuck').acquire()
      const page = await stage.openServed('lock?name=stuck', ['--allow-unlock'])
      await page.getByRole('button', { name: 'Free this lock…' }).click()
      await page.getByRole('button', { name: 'Free it' }).click()
      await page.getByRole('status').filter({ hasText: 'was freed. web-2:22 has it now' }).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await (await next).release()
    })

    it('not for another holder than the one that was shown', async () => {
      const [first, second] = [stage.scene.client('web-1:11'), stage.scene.client('web-2:22')]
      const hold = await first.lock('stuck').acquire()
      const page = await stage.openServed('lock?name=stuck', ['--allow-unlock'])
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
})

describeInBrowser('holdfast ui in Chromium, its connection', (stage) => {
  it('asks for the token, which is never in an address', async () => {
    await stage.scene.client('web-1:11').lock('secret').acquire()
    const { url } = await stage.serve([], { HOLDFAST_UI_TOKEN: TOKEN })
    const page = await stage.open(url)
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
    stage.later(() => other.stop())
    const its = new Scene(other)
    stage.later(() => its.end())
    await its.client('web-1:11').lock('a').acquire()
    const { url } = await serve(stage.program, other.url)
    const page = await stage.open(url)
    await shows(page, /^Live$/)
    const held = page.locator('#rows .age time')
    await held.waitFor()
    await other.kill()
    await shows(page, /cannot reach redis:|did not answer/)
    await shows(page, /^Below is what was seen (now|\d+ s ago)\.$/)
    expect(await page.title()).toBe('Not live · Locks · Holdfast')
    // What was seen does not seem to go on.
    const before = await held.textContent()
    const seen = page.locator('.notice time')
    const told = await seen.textContent()
    await eventually(async () => ![told, 'now'].includes(await seen.textContent()))
    expect(await held.textContent()).toBe(before)
    await other.restart({ keepData: false })
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.locator('.notice').count()).toBe(0)
  })

  it('has the system’s colours, or those that were chosen, again after a load', async () => {
    const { url } = await stage.serve()
    const page = await stage.open(url, { colorScheme: 'dark' })
    const paper = (): Promise<string> =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    const [light, dark] = ['rgb(244, 246, 248)', 'rgb(13, 17, 23)']
    expect(await paper()).toBe(dark)
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await paper()).toBe(light)
    await page.getByRole('button', { name: 'Colours: the system’s. Change to light' }).click()
    await page.getByRole('button', { name: 'Colours: light. Change to dark' }).click()
    expect(await paper()).toBe(dark)
    await page.reload()
    await page.getByRole('button', { name: 'Colours: dark. Change to the system’s' }).click()
    expect(await paper()).toBe(light)
  })

  it('says that the program has ended, and goes on when it is back', async () => {
    const { url, running } = await stage.serve()
    const page = await stage.open(url)
    await shows(page, /^Live$/)
    await running.endsBy('SIGINT')
    await shows(page, 'No answer; trying again…')
    await shows(page, 'The program that serves this page does not answer.')
    await stage.serve(['--port', new URL(url).port])
    await page.getByText('Live', { exact: true }).waitFor()
  })
})
