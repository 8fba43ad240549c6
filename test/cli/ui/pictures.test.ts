/** Draws the pictures of docs/ui.md, with HOLDFAST_PICTURES=1. */
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
import { serve } from '../program.js'
import { Scene } from './scene.js'
import { shows, useStage } from './stage.js'

const docs = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url))
const BUSY = ['web-3', 'web-4', 'web-5', 'worker-3', 'worker-4', 'batch-1', 'batch-2']
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

  const draw = (page: Page, name: string) =>
    page.screenshot({ path: `${docs}${name}.png`, animations: 'disabled' })

  it('nothing is held', async () => {
    const { url } = await stage.serve()
    const page = await open(url)
    await page.getByText('No lock is held.').waitFor()
    await draw(page, 'ui-empty')
  })

  it('three', async () => {
    await stage.scene.three()
    const { url } = await stage.serve()
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(url, { colorScheme })
      await drawn(page, 6)
      await draw(page, colorScheme === 'light' ? 'ui-three' : 'ui-three-dark')
    }
  })

  it('a handful, light and dark, on a phone, and one of them', async () => {
    const { url } = await stage.serve(['--allow-unlock'])
    const page = await open(url)
    await page.getByText('No lock is held.').waitFor()
    await stage.scene.everyday()
    await stage.scene.client('batch-3').lock('upload:7').acquire({ leaseMs: 7_000 })
    await stage.scene.deadlock()
    stage.scene.bustle(BUSY, ['order:10422', 'stock:item:7004', 'order:10517', 'customer:881:merge'])
    await page.locator('#changes .expired').waitFor()
    await page.locator('.ring').waitFor()
    await drawn(page, 24)
    await draw(page, 'ui')
    const phone = await open(url, PHONE)
    await phone.locator('tbody tr').nth(4).waitFor()
    await drawn(phone, 4)
    await phone.evaluate("document.querySelector('.list').scrollIntoView()")
    await draw(phone, 'ui-phone')
    const lock = await open(`${url}lock?name=invoice:42`)
    await lock.locator('.line li').nth(2).waitFor()
    await lock.getByRole('button', { name: 'Free this' }).click()
    await lock.getByRole('dialog').waitFor()
    await lock.getByRole('button', { name: 'Free it' }).click()
    await lock.getByText('has it now').waitFor()
    await shows(lock, /It passed from/)
    await draw(lock, 'ui-lock')
  })

  it('a jam', async () => {
    await stage.scene.everyday()
    await stage.scene.jam()
    const { url } = await stage.serve()
    const page = await open(url)
    await page.getByText('holds up 4 other locks').click()
    await drawn(page, 6)
    await draw(page, 'ui-jam')
  })

  it('three hundred, and ten thousand', async () => {
    const { url } = await stage.serve()
    await stage.scene.crowd(300)
    await stage.scene.line('invoice:17919', ['web-4', 'web-7'])
    await stage.scene.line('customer:25838', ['web-2'])
    stage.scene.bustle(
      [...BUSY, 'web-6'],
      ['order:20031', 'order:20032', 'stock:item:911', 'mail:outbox', 'invoice:77'],
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
