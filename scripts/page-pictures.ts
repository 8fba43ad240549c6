/** Draws the pictures of docs/ui.md anew: all, or those whose names are arguments. Needs Chromium, and a Redis as the tests do. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { ui } from '../src/cli/ui/index.js'
import { Holdfast } from '../src/index.js'
import { openBrowser } from '../test/cli/ui/chromium.js'
import { Scene } from '../test/cli/ui/scene.js'
import { bringServer } from '../test/servers/index.js'
import { standaloneClient } from '../test/setup/clients.js'
import { eventually } from '../test/setup/eventually.js'

const docs = fileURLToPath(new URL('../docs/pictures/', import.meta.url))
const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const BUSY = ['web-3', 'web-4', 'web-5', 'worker-3', 'worker-4', 'batch-1', 'batch-2']
const PHONE = { viewport: { width: 400, height: 860 }, deviceScaleFactor: 1.5 }

const browser = await openBrowser()
const server = await bringServer({ flavour: 'any', args: [] })
/** Undone after each picture, the last first. */
const undo: Array<() => unknown> = []

const pictures: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'nothing is held'() {
    const page = await open(await serve())
    await page.getByText('No lock is held.').waitFor()
    await draw(page, 'ui-empty')
  },

  async three(scene) {
    await scene.client('web-1').lock('cron:nightly-report').acquire()
    await scene.client('worker-1').readWriteLock('catalogue').readLock().acquire()
    await scene.client('worker-2').fencedLock('invoice:42').acquire()
    await scene.line('invoice:42', ['web-2'])
    const url = await serve()
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(url, { colorScheme })
      await drawn(page, 6)
      await draw(page, colorScheme === 'light' ? 'ui-three' : 'ui-three-dark')
    }
  },

  /** Light and dark, on a phone, and one of them. */
  async 'a handful'(scene) {
    const url = await serve(['--allow-unlock'])
    const page = await open(url)
    await page.getByText('No lock is held.').waitFor()
    await scene.everyday()
    await scene.client('batch-3').lock('upload:7').acquire({ leaseMs: 7_000 })
    await scene.deadlock()
    bustle(scene, BUSY, ['order:10422', 'stock:item:7004', 'order:10517', 'customer:881:merge'])
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
    await lock.getByText(/It passed from/).waitFor()
    await draw(lock, 'ui-lock')
  },

  async 'a jam'(scene) {
    await scene.everyday()
    await scene.jam()
    const page = await open(await serve())
    await page.getByText('holds up 4 other locks').click()
    await drawn(page, 6)
    await draw(page, 'ui-jam')
  },

  /** Three hundred, and ten thousand. */
  async many(scene) {
    const url = await serve()
    await scene.crowd(300)
    await scene.line('invoice:17919', ['web-4', 'web-7'])
    await scene.line('customer:25838', ['web-2'])
    const names = ['order:20031', 'order:20032', 'stock:item:911', 'mail:outbox', 'invoice:77']
    bustle(scene, [...BUSY, 'web-6'], names)
    const page = await open(url, { colorScheme: 'dark' })
    await page.getByText(/of 30\d locks/).waitFor()
    await drawn(page, 6)
    await draw(page, 'ui-three-hundred')
    await scene.crowd(10_000)
    await page.getByText(/of 10,0\d\d locks/).waitFor({ timeout: 60_000 })
    await drawn(page, 20)
    await draw(page, 'ui-dark')
  },

  async 'what a client of the application does'() {
    const redis = standaloneClient({ host: server.host, port: server.port })
    const holdfast = new Holdfast(redis, { label: 'web-1' })
    const page = ui(redis, { client: holdfast, server: 'the shop’s locks' })
    const app = createServer(page.handler)
    await once(app.listen(0, '127.0.0.1'), 'listening')
    const over = new AbortController()
    undo.push(async () => {
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
    const address = app.address()
    const shown = await open(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`)
    await shown.locator('.traffic .spark').nth(2).waitFor()
    await drawn(shown, 12)
    await draw(shown, 'ui-client')
  },

  async 'an outage'() {
    const other = await bringServer({ flavour: 'any', args: [] })
    undo.push(() => other.stop())
    const its = new Scene(other)
    undo.push(() => its.end())
    await its.everyday()
    const page = await open(await serve([], other.url))
    await page.locator('tbody tr').nth(4).waitFor()
    await other.kill()
    await page.getByRole('alert').waitFor()
    await page.getByText(/what was seen \d+ s ago/).waitFor()
    await draw(page, 'ui-outage')
    await other.restart({ keepData: false })
  },
}

try {
  for (const [name, picture] of Object.entries(pictures)) {
    if (process.argv.length > 2 && !process.argv.includes(name)) continue
    const scene = new Scene(server)
    undo.push(() => scene.end())
    await scene.call('FLUSHALL')
    await picture(scene)
    for (const each of undo.splice(0).reverse()) await each()
    console.log(name)
  }
} finally {
  await browser.close()
  await server.stop()
}

/** Serves `holdfast ui`, and returns where its page is. */
async function serve(args: readonly string[] = [], url = server.url): Promise<string> {
  const child = spawn(process.execPath, [program, 'ui', '--port', '0', '--json', ...args], {
    env: { ...process.env, HOLDFAST_REDIS_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  undo.push(() => child.kill('SIGKILL'))
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return String(JSON.parse(line).url)
}

async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  undo.push(() => context.close())
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('#connection.live').waitFor()
  return page
}

/** Waits until so many points are on the curves: two seconds each. */
async function drawn(page: Page, points: number): Promise<void> {
  await eventually(
    () => page.evaluate<number>("document.querySelector('.spark .curve')?.points.length ?? 0"),
    (there) => there >= points,
    120_000,
  )
}

async function draw(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${docs}${name}.png`, animations: 'disabled' })
}

/** Clients that take one lock after the other, and wait for each other's, until the picture is drawn. */
function bustle(scene: Scene, labels: readonly string[], names: readonly string[]): void {
  const over = new AbortController()
  undo.push(() => over.abort())
  const below = (limit: number): number => Math.floor(Math.random() * limit)
  const work = async (label: string): Promise<void> => {
    const client = scene.client(label)
    while (!over.signal.aborted) {
      await using _ = await client.lock(names[below(names.length)] ?? 'a').acquire()
      // What it does there.
      await sleep(1_500 + below(5_000), undefined, { signal: over.signal })
    }
  }
  for (const label of labels) work(label).catch(() => undefined)
}
