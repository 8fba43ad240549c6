/** The page of one lock in a real browser: who holds it, who waits, deadlocks, freeing it. */
import { describe, expect, it } from 'vitest'
import type { Holdfast } from '../../../src/index.js'
import { plainRing } from '../../deadlock/ring.js'
import { refusal } from './chromium.js'
import { shows, useStage } from './stage.js'

const HOSTILE = '<img src=x onerror="document.title=1">\u202egnirts\u0007\u001b[31m'

describe.skipIf(refusal !== undefined)(
  `holdfast ui in Chromium, a lock${refusal ? `: ${refusal}` : ''}`,
  () => {
    const stage = useStage()

    it('a lock’s page: its line in order, its token, and its history while one watches', async () => {
      const [first, second, third] = [
        stage.scene.client('web-1:11'),
        stage.scene.client('web-2:22'),
        stage.scene.client('web-3:33'),
      ]
      const hold = await first.fencedLock('deploy').acquire()
      const line = [second, third].map(async (each) => {
        const waiting = new Promise((resolve) => each.once('waiting', resolve))
        const next = each.fencedLock('deploy').acquire()
        await waiting
        return await next
      })
      for (const each of line) each.catch(() => undefined)
      const { url } = await stage.serve()
      const page = await stage.open(url)
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
        ['web-1:11', 'web-2:22', 'web-3:33'].map((label) => stage.scene.client(label)),
        'account',
      )
      const { url } = await stage.serve()
      const page = await stage.open(url)
      const named = page.getByRole('region', { name: 'Deadlock' })
      await named.getByText('web-1:11 holds the lock account:0 and waits for the lock account:1.').waitFor()
      expect(await page.title()).toBe('1 deadlock · Locks · Holdfast')
      expect(await named.getByRole('listitem').count()).toBe(3)
      const other = await stage.open(`${url}lock?name=account:2`)
      await other
        .getByRole('region', { name: 'Deadlock' })
        .getByText('web-3:33 holds the lock account:2 and waits for the lock account:0.')
        .waitFor()
      await stage.scene.client('operator').lock('account:0').forceUnlock()
      await named.waitFor({ state: 'hidden' })
      await Promise.all(ring.sections)
    })

    it('says what it holds up, through those who wait for it', async () => {
      const [first, second, third] = ['web-1:11', 'web-2:22', 'web-3:33'].map((each) =>
        stage.scene.client(each),
      )
      if (!first || !second || !third) throw new Error('there are three clients')
      const hold = await first.lock('root').acquire()
      const waits = async (client: Holdfast, own: string, wanted: string): Promise<void> => {
        const waiting = new Promise((resolve) => client.once('waiting', resolve))
        stage.later(() => section)
        const section = client.lock(own).withLock(() => client.lock(wanted).withLock(() => undefined))
        await waiting
      }
      await waits(second, 'middle', 'root')
      await waits(third, 'leaf', 'middle')
      const { url } = await stage.serve()
      const page = await stage.open(`${url}lock?name=root`)
      const heldUp = page.getByRole('region', { name: 'It holds up 2 other locks' })
      await heldUp.locator('.node', { hasText: 'rootheld by web-1:11' }).waitFor()
      const middle = heldUp.locator('.tree > ul > li', { hasText: 'middleheld by web-2:22, who waits for' })
      await middle.locator('li', { hasText: 'leafheld by web-3:33, who waits for' }).waitFor()
      await heldUp.getByRole('link', { name: 'leaf' }).click()
      await page.getByRole('heading', { name: 'leaf', level: 1 }).waitFor()
      await shows(page, 'held')
      expect(await heldUp.count()).toBe(0)
      // What holds up most is above the list, too, and nothing that waits itself.
      const list = await stage.open(url)
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
      const { url } = await stage.serve()
      const page = await stage.open(url)
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

    describe('frees a lock', () => {
      it('only where that is allowed', async () => {
        await stage.scene.client('web-1:11').lock('stuck').acquire()
        const { url } = await stage.serve()
        const page = await stage.open(`${url}lock?name=stuck`)
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
        await page
          .getByRole('status')
          .filter({ hasText: 'Lock "stuck" was freed. Nobody waited for it.' })
          .waitFor()
        await shows(page, /^free$/)
        expect(await holdfast.fencedLock('stuck').isLocked()).toBe(false)
        await running.says('a page freed')
      })

      it('and says who has it next', async () => {
        const [first, second] = [stage.scene.client('web-1:11'), stage.scene.client('web-2:22')]
        await first.lock('stuck').acquire()
        const next = second.lock('stuck').acquire()
        const { url } = await stage.serve(['--allow-unlock'])
        const page = await stage.open(`${url}lock?name=stuck`)
        await page.getByRole('button', { name: 'Free this lock…' }).click()
        await page.getByRole('button', { name: 'Free it' }).click()
        await page.getByRole('status').filter({ hasText: 'was freed. web-2:22 has it now' }).waitFor()
        expect(await page.getByRole('alert').count()).toBe(0)
        await (await next).release()
      })

      it('not for another holder than the one that was shown', async () => {
        const [first, second] = [stage.scene.client('web-1:11'), stage.scene.client('web-2:22')]
        const hold = await first.lock('stuck').acquire()
        const { url } = await stage.serve(['--allow-unlock'])
        const page = await stage.open(`${url}lock?name=stuck`)
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
  },
)
