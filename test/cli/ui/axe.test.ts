/** The page for who does not see it, or sees it on a phone: axe finds nothing in any part of it, and nothing sticks out. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { express, LOGIN, mounted } from './mounting.js'
import { describeInBrowser } from './stage.js'

const LONG = 'warehouse:7:aisle:12:shelf:a-very-long-name-of-a-lock-that-some-program-has-chosen:reorder'

describeInBrowser('holdfast ui for all', (stage) => {
  beforeEach(async () => {
    const { scene } = stage
    await scene.everyday()
    await scene.deadlock()
    await scene.jam()
    await scene.client('batch-1').lock(LONG).acquire()
    await scene.client('batch-1').lock('x'.repeat(300)).acquire()
  })

  const check = async (page: Page, part: string): Promise<void> => {
    await page.evaluate(axe.source)
    const found = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))',
    )
    expect(found, part).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), part).toBe(true)
  }

  const looks = (['light', 'dark'] as const).flatMap((colours) =>
    [400, 1280].map((width) => [colours, width] as const),
  )
  it.each(looks)(
    '%s, %d pixels wide: the list, a lock, the question, what came of it, an empty list',
    async (colorScheme, width) => {
      const { url } = await stage.serve(['--allow-unlock'])
      const viewport = { width, height: 800 }
      const page = await stage.open(url, { viewport, colorScheme, reducedMotion: 'reduce' })
      await page.getByRole('region', { name: 'Deadlock' }).waitFor()
      await page.getByText(LONG).first().waitFor()
      await page.locator('.spark').first().waitFor()
      await page.getByText('holds up 4 other locks').click()
      await check(page, 'list')
      const moves = 'getComputedStyle(document.querySelector(".bar")).transitionDuration'
      expect(await page.evaluate(moves)).toBe('0s')
      await page.locator('#rows').getByRole('link', { name: 'invoice:42' }).click()
      await page.getByRole('button', { name: 'Free this fenced lock…' }).waitFor()
      await check(page, 'lock')
      await page.getByRole('button', { name: 'Free this fenced lock…' }).click()
      await page.getByRole('dialog').waitFor()
      await check(page, 'question')
      await page.getByRole('button', { name: 'Leave it' }).click()
      await page.goto(`${url}?filter=nothing`)
      await page.getByText('No lock is held whose name has “nothing”.').waitFor()
      await check(page, 'empty')
    },
  )

  it('the curves of what an application’s client does', async () => {
    let acquired = 0
    const metrics = () => {
      acquired += 3
      return { acquired, contended: acquired / 3, timedOut: 1 }
    }
    const { origin } = await mounted(express, { client: { metrics } })
    for (const [colorScheme, width] of looks) {
      const look = { viewport: { width, height: 800 }, colorScheme, httpCredentials: LOGIN }
      const page = await stage.open(`${origin}/admin/locks/`, look)
      await page.locator('.traffic .spark').nth(2).waitFor()
      await check(page, `client ${colorScheme} ${width}`)
    }
  })

  it('no word of a name is broken on a phone', async () => {
    const { url } = await stage.serve()
    const page = await stage.open(url, { viewport: { width: 400, height: 800 } })
    await page.locator('#rows').getByRole('link', { name: LONG }).waitFor()
    const broken = await page.evaluate(`
      [...document.querySelectorAll('#rows a')].flatMap((link) => [...link.childNodes]).flatMap((text) => {
        if (text.nodeType !== 3 || text.textContent.length > 100) return []
        const range = document.createRange()
        range.selectNodeContents(text)
        return range.getClientRects().length > 1 ? [text.textContent] : []
      })`)
    expect(broken).toEqual([])
  })
})
