/** The list of locks in a real browser, of locks on a real server. */
import process from 'node:process'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { eventually } from '../../setup/eventually.js'
import { later } from '../../setup/later.js'
import { describeInBrowser, shows } from './stage.js'

type Scrolled = Readonly<{ gaps: readonly number[]; longTasks: number; scrolled: number }>
/** Down and up, a little with each frame: the milliseconds between frames, tasks of more than 50 ms, and how far down it went. */
const SCROLL = `new Promise((done) => {
  let longTasks = 0
  new PerformanceObserver((list) => { longTasks += list.getEntries().length }).observe({ type: 'longtask' })
  const gaps = []
  let [last, scrolled] = [performance.now(), 0]
  const step = (now) => {
    gaps.push(now - last)
    last = now
    scrolled = Math.max(scrolled, scrollY)
    scrollBy(0, gaps.length % 200 < 100 ? 20 : -20)
    if (gaps.length < 300) requestAnimationFrame(step)
    else done({ gaps, longTasks, scrolled })
  }
  requestAnimationFrame(step)
})`
/** Eight times that the rows were drawn anew: how many elements came or went. */
const DRAWN = `new Promise((done) => {
  let [draws, moved] = [0, 0]
  const observer = new MutationObserver((records) => {
    draws += 1
    moved += records.filter(({ type }) => type === 'childList').length
    if (draws < 8) return
    observer.disconnect()
    done({ draws, moved })
  })
  observer.observe(document.querySelector('#rows'), { subtree: true, childList: true, characterData: true, attributes: true })
})`
const FIRST_PAINT = `Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime)`

/** What the browser counts for the page, in numbers and seconds. */
async function meterOf(page: Page): Promise<(name: string) => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  return async (wanted) => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
  }
}

describeInBrowser('holdfast ui in Chromium, the list', (stage) => {
  it('shows who holds a lock and who waits, that it passes on, is freed and is taken', async () => {
    const [first, second] = [stage.scene.client('web-1:11'), stage.scene.client('web-2:22')]
    const page = await stage.openServed()
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
    const page = await stage.openServed()
    await shows(page, 'No lock is held.')
    // Long enough for a busy machine to look at it twice.
    await stage.scene.client('web-1:11').lock('short').acquire({ leaseMs: 10_000 })
    const bar = page.locator('.bar').first()
    await bar.waitFor({ state: 'attached' })
    const width = async (): Promise<number> => (await bar.boundingBox())?.width ?? 0
    const before = await eventually(width, (value) => value > 0)
    await eventually(width, (value) => value < before / 2)
    await shows(page, /short is no longer held: the lease of web-1:11 was over/)
  })

  it('shows every kind', async () => {
    await stage.scene.everyday()
    const permits = stage.scene.client('web-1:11').permitExpirableSemaphore('licences')
    await permits.trySetPermits(3)
    await permits.acquire()
    const page = await stage.openServed('?sort=name')
    await shows(page, '7 locks')
    const rows = (await page.locator('#rows tr').allTextContents()).join('\n')
    for (const row of ['cron:nightly-reportlock', 'invoice:42fenced lock', 'catalogueread-write lock'])
      expect(rows).toContain(row)
    for (const row of ['export-slotssemaphore', 'licencespermit-expirable', 'deploy:stepscount-down latch'])
      expect(rows).toContain(row)
  })

  it('ten thousand locks in pages of fifty, found by a part of their names, the waited-for ones first', async () => {
    const script =
      "for i = 0, 9999 do redis.call('HSET', 'many:' .. i, 'x:1', 1) redis.call('PEXPIRE', 'many:' .. i, 600000) end"
    await stage.scene.call('EVAL', script, '0')
    const page = await stage.openServed()
    const rows = page.locator('#rows tr')
    await shows(page, /^1–50 of [\d,]+ locks/)
    expect(await rows.count()).toBe(50)
    later(stage.scene.client('web-1:11').lock('many:7777').acquire())
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

  it('ten thousand locks: fifty rows, and no more than a layout for each frame while one scrolls', async () => {
    await stage.scene.crowd(10_000)
    const page = await stage.openServed()
    await shows(page, /^1–50 of [\d,]+ locks/)
    const meter = await meterOf(page)
    const [laidOut, busy] = [await meter('LayoutCount'), await meter('TaskDuration')]
    const { gaps, longTasks, scrolled } = await page.evaluate<Scrolled>(SCROLL)
    const layouts = (await meter('LayoutCount')) - laidOut
    const seconds = gaps.reduce((sum, each) => sum + each, 0) / 1_000
    if (process.env['HOLDFAST_FIGURES']) {
      const late = gaps.filter((each) => each > 34).length
      const cpu = (((await meter('TaskDuration')) - busy) / seconds) * 100
      const paint = await page.evaluate(FIRST_PAINT)
      console.log({ frames: gaps.length, seconds, late, longTasks, layouts, cpu, paint })
    }
    expect(scrolled).toBeGreaterThan(1_000)
    expect(await page.locator('#rows tr').count()).toBe(50)
    expect(await page.locator('*').count()).toBeLessThan(2_000)
    // The page is drawn anew each second, and with each look.
    expect(layouts).toBeGreaterThan(0)
    expect(layouts).toBeLessThanOrEqual(gaps.length + 4 * seconds)
  })

  it('a list that stands still keeps its elements, and is laid out once for each time it is drawn', async () => {
    await stage.scene.crowd(300)
    const page = await stage.openServed()
    await shows(page, '1–50 of 300 locks')
    await page.locator('.spark').nth(1).waitFor()
    const meter = await meterOf(page)
    const laidOut = await meter('LayoutCount')
    const { draws, moved } = await page.evaluate<{ draws: number; moved: number }>(DRAWN)
    expect(moved).toBe(0)
    expect((await meter('LayoutCount')) - laidOut).toBeLessThanOrEqual(2 * draws)
  })

  it('tells times in words, and the exact one to who points at them', async () => {
    await stage.scene.client('web-1:11').lock('a').acquire()
    const time = (await stage.openServed()).locator('#rows time').first()
    await time.filter({ hasText: /^\d+ s$/ }).waitFor()
    expect(await time.getAttribute('title')).toMatch(/^since \d+ \w+ \d{4}, \d\d:\d\d:\d\d$/)
  })

  it('says what to do where there is nothing to see', async () => {
    const page = await stage.openServed()
    await shows(page, 'holdfast run invoice:42 -- sleep 60')
    await page.getByLabel('Filter').fill('invoice:42')
    await page.getByRole('link', { name: 'Open the lock “invoice:42”' }).click()
    await shows(page, 'It is free: nobody holds it, and nobody waits for it.')
  })

  it('says that no name has a text only once that was looked for', async () => {
    const page = await stage.openServed()
    await shows(page, 'No lock is held.')
    // No answer comes.
    await page.route('**/events?filter=invoice*', () => undefined)
    await page.getByLabel('Filter').fill('invoice')
    await shows(page, 'Looking…')
    expect(await page.getByText(/whose name has/).count()).toBe(0)
  })

  it('the focus stays where it is while rows come and go', async () => {
    const holdfast = stage.scene.client('web-1:11')
    await holdfast.lock('m').acquire()
    const page = await stage.openServed()
    await page.locator('#rows').getByRole('link', { name: 'm', exact: true }).focus()
    await holdfast.lock('a').acquire()
    await holdfast.lock('z').acquire()
    await shows(page, '3 locks')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('m')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'm', level: 1 }).waitFor()
  })
})
