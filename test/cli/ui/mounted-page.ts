/** A page over a store in memory, and what a browser does with it where it is mounted. */
import type { Browser } from 'playwright-core'
import { expect, onTestFinished, vi } from 'vitest'
import { type Ui, type UiOptions, ui } from '../../../src/cli/ui/index.js'
import { Holdfast, type Store } from '../../../src/index.js'
import { MemoryStore } from '../../../src/stores/memory/index.js'
import { type Framework, LOGIN } from './mounting.js'

interface Mountable {
  readonly page: Ui
  /** A client of the same store. */
  readonly holdfast: Holdfast
  /** How often the page has looked at a lock. */
  looks(): number
}

export function pageOf(options: UiOptions = {}): Mountable {
  const memory = new MemoryStore()
  let looks = (): number => 0
  const spied: Store = {
    open(settings) {
      const session = memory.open(settings)
      const spy = vi.spyOn(session.lock, 'inspect')
      looks = () => spy.mock.calls.length
      return session
    },
  }
  const page = ui(spied, options)
  const holdfast = new Holdfast(memory, { label: 'web-1' })
  onTestFinished(async () => {
    await page.close()
    await holdfast.close()
  })
  return { page, holdfast, looks: () => looks() }
}

/** From the list to a lock, which is freed, and back; nothing goes wrong unnoticed. */
export async function freeInBrowser(browser: Browser, ...[, start]: Framework): Promise<void> {
  const { page: mounted, holdfast } = pageOf({ allowUnlock: true, server: 'the shop’s locks' })
  const { origin, close } = await start(mounted)
  onTestFinished(async () => void (await close()))
  const page = await browser.newPage({ httpCredentials: LOGIN })
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(String(error)))
  page.on('response', (response) => {
    if (response.status() >= 404) wrong.push(`${response.status()} ${response.url()}`)
  })
  await holdfast.lock('invoice:42').acquire()
  await page.goto(`${origin}/admin/locks`)
  await page.getByText('the shop’s locks').waitFor()
  await page.getByRole('link', { name: 'invoice:42' }).first().click()
  await page.getByRole('button', { name: 'Free this lock…' }).click()
  await page.getByRole('button', { name: 'Free it' }).click()
  await page.getByRole('status').filter({ hasText: 'was freed. Nobody waited for it.' }).waitFor()
  expect(await holdfast.lock('invoice:42').isLocked()).toBe(false)
  await page.getByRole('link', { name: 'All locks', exact: true }).click()
  await page.getByText('No lock is held.').waitFor()
  expect(wrong).toEqual([])
}
