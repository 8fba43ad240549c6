/** Draws the pictures of docs/ui.md, with HOLDFAST_PICTURES=1, and the others to look at into the folder that HOLDFAST_PICTURES_ALL names. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { ui } from '../../../src/cli/ui/index.js'
import { Holdfast } from '../../../src/index.js'
import { bringServer } from '../../servers/index.js'
import { standaloneClient } from '../../setup/clients.js'
import { eventually } from '../../setup/eventually.js'
import { Scene } from './scene.js'
import { serve } from './serving.js'
import { useStage } from './stage.js'

const docs = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url))
const all = process.env['HOLDFAST_PICTURES_ALL']
const PHONE = { viewport: { width: 400, height: 860 }, deviceScaleFactor: 1.5 }

describe.skipIf(!process.env['HOLDFAST_PICTURES'])('the pictures of the page', { timeout: 180_000 }, () => {
  const stage = useStage()

  const open = async (url: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await stage.open(url, { viewport: { width: 1280, height: 860 }, ...options })
    await page.locator('#connection.live').waitFor()
    return page
  }

  /** So many points are on the curves: two seconds each. */
  const drawn = async (page: Page, points: number): Promise<void> => {
    const now = "document.querySelector('.spark .curve')?.points.length ?? 0"
    await eventually(
      () => page.evaluate<number>(now),
      (there) => there >= points,
      120_000,
    )
  }

  const draw = async (page: Page, name: string, fullPage = false): Promise<void> => {
    await page.screenshot({ path: `${docs}${name}.png`, fullPage, animations: 'disabled' })
  }
  /** A picture that is looked at, and not kept. */
  const glance = async (page: Page, name: string, fullPage = false): Promise<void> => {
    if (all) await page.screenshot({ path: `${all}/${name}.png`, fullPage })
  }

  it('nothing is held', async () => {
    const { url } = await stage.serve()
    const page = await open(url)
    await page.getByText('No lock is held.').waitFor()
    await draw(page, 'ui-empty')
    await page.getByLabel('Filter').fill('invoice')
    await page.getByText('Open the lock').waitFor()
    await page.locator('.value').getByText('0', { exact: true }).first().waitFor()
    await glance(page, 'empty-filter')
  })

  it('three', async () => {
    await stage.scene.three()
    const { url } = await stage.serve()
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(url, { colorScheme })
      await drawn(page, 6)
      await draw(page, colorScheme === 'light' ? 'ui-three' : 'ui-three-dark')
    }
    const phone = await open(url, PHONE)
    await drawn(phone, 4)
    await glance(phone, 'three-phone', true)
  })

  it('a handful, light and dark, on a phone, and one of them', async () => {
    const { url } = await stage.serve(['--allow-unlock'])
    const page = await open(url)
    await page.getByText('No lock is held.').waitFor()
    await stage.scene.everyday()
    await stage.scene.client('batch-3').lock('upload:7').acquire({ leaseMs: 7_000 })
    await stage.scene.deadlock()
    stage.scene.bustle(
      ['web-3', 'web-4', 'web-5', 'worker-3', 'worker-4', 'batch-1', 'batch-2'],
      ['order:10422', 'stock:item:7004', 'order:10517', 'customer:881:merge'],
    )
    await page.locator('#changes .expired').waitFor()
    await page.locator('.ring').waitFor()
    await drawn(page, 24)
    await draw(page, 'ui')
    await glance(page, 'ui-full', true)
    await page.emulateMedia({ colorScheme: 'dark' })
    await glance(page, 'ui-dark-full', true)
    const phone = await open(url, PHONE)
    await phone.locator('tbody tr').nth(4).waitFor()
    await drawn(phone, 4)
    await glance(phone, 'phone-full', true)
    await phone.evaluate("document.querySelector('.list').scrollIntoView()")
    await draw(phone, 'ui-phone')
    const stuck = await open(`${url}lock?name=account:0`)
    await stuck.getByText('It holds up 2 other locks').waitFor()
    await glance(stuck, 'lock-deadlock', true)
    const lock = await open(`${url}lock?name=invoice:42`)
    await lock.locator('.line li').nth(2).waitFor()
    await glance(lock, 'lock-before', true)
    await lock.getByRole('button', { name: 'Free this' }).click()
    await lock.getByRole('dialog').waitFor()
    await glance(lock, 'dialog')
    await lock.getByRole('button', { name: 'Free it' }).click()
    await lock.getByText('has it now').waitFor()
    await lock
      .getByText(/It passed from/)
      .first()
      .waitFor()
    await draw(lock, 'ui-lock')
    await lock.emulateMedia({ colorScheme: 'dark' })
    await lock.setViewportSize(PHONE.viewport)
    await glance(lock, 'lock-phone-dark', true)
  })

  it('a jam, in the list and on the page of its lock', async () => {
    await stage.scene.everyday()
    await stage.scene.jam()
    const { url } = await stage.serve()
    const page = await open(url)
    await page.getByText('holds up 4 other locks').click()
    await drawn(page, 6)
    await draw(page, 'ui-jam')
    const lock = await open(`${url}lock?name=catalogue:index`, { colorScheme: 'dark' })
    await lock.getByText('It holds up 4 other locks').waitFor()
    await glance(lock, 'lock-jam-dark', true)
    const phone = await open(`${url}lock?name=catalogue:index`, PHONE)
    await phone.getByText('It holds up 4 other locks').waitFor()
    await glance(phone, 'lock-jam-phone', true)
  })

  it('three hundred, and ten thousand', async () => {
    const { url } = await stage.serve()
    await stage.scene.crowd(300)
    await stage.scene.line('invoice:17919', ['web-4', 'web-7'])
    await stage.scene.line('customer:25838', ['web-2'])
    const many = ['order:20031', 'order:20032', 'stock:item:911', 'mail:outbox', 'invoice:77']
    stage.scene.bustle(
      ['web-3', 'web-4', 'web-5', 'worker-3', 'worker-4', 'batch-1', 'batch-2', 'web-6'],
      many,
    )
    const page = await open(url, { colorScheme: 'dark' })
    await page.getByText(/of 30\d locks/).waitFor()
    await drawn(page, 6)
    await draw(page, 'ui-three-hundred')
    await stage.scene.crowd(10_000)
    await page.getByText(/of 10,0\d\d locks/).waitFor({ timeout: 60_000 })
    await drawn(page, 20)
    await draw(page, 'ui-dark')
  })

  it('what a client of the application does', async () => {
    const app = createServer()
    const redis = standaloneClient({ host: stage.server.host, port: stage.server.port })
    const holdfast = new Holdfast(redis, { label: 'web-1' })
    const page = ui(redis, { client: holdfast, server: 'the shop’s locks' })
    app.on('request', page.handler)
    await once(app.listen(0, '127.0.0.1'), 'listening')
    const address = app.address()
    const over = new AbortController()
    stage.later(async () => {
      over.abort()
      app.closeAllConnections()
      app.close()
      await page.close()
      await holdfast.close()
      redis.disconnect()
    })
    const names = ['invoice:42', 'invoice:43', 'stock:item:7']
    const work = async (turn: number): Promise<void> => {
      for (let round = turn; !over.signal.aborted; round += 1) {
        const lock = holdfast.lock(names[round % names.length] ?? '')
        await lock.withLock({ waitMs: 700 }, () => sleep(200 + 90 * (round % 7))).catch(() => undefined)
      }
    }
    for (const turn of [1, 2, 3, 5]) void work(turn)
    const shown = await open(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`)
    await shown.locator('.traffic .spark').nth(2).waitFor()
    await drawn(shown, 12)
    await draw(shown, 'ui-client')
    const phone = await open(shown.url(), PHONE)
    await phone.locator('.traffic .spark').nth(2).waitFor()
    await glance(phone, 'client-phone', true)
  })

  it('an outage', async () => {
    const other = await bringServer({ flavour: 'any', args: [] })
    const its = new Scene(other)
    await its.everyday()
    const { url } = await serve(stage.program, other.url)
    const page = await open(url)
    await page.locator('tbody tr').nth(4).waitFor()
    await other.kill()
    await page.getByRole('alert').waitFor()
    await page.getByText(/what was seen \d+ s ago/).waitFor()
    await draw(page, 'ui-outage')
    await other.restart({ keepData: false })
    await its.end()
    await other.stop()
  })
})
