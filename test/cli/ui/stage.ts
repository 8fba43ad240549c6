/** A browser, and a server with a scene of locks, for the tests of the page. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, describe, expect } from 'vitest'
import { bringServer } from '../../servers/index.js'
import { duringAll, duringEach } from '../../setup/during.js'
import { serve, useProgram } from '../program.js'
import { openBrowser, refusal } from './chromium.js'
import { Scene } from './scene.js'

/** In a group of tests that is skipped, and says why, where no browser is to be had. */
export function describeInBrowser(title: string, tests: (stage: Stage) => void): void {
  describe.skipIf(refusal !== undefined)(`${title}${refusal ? `: ${refusal}` : ''}`, () => tests(useStage()))
}

export type Stage = ReturnType<typeof useStage>

export function useStage() {
  const program = useProgram()
  const undo: Array<() => unknown> = []
  const browser = duringAll(openBrowser)
  const server = duringAll(() => bringServer({ flavour: 'any', args: [] }))
  /** The locks of one test. */
  const scene = duringEach(async () => {
    const empty = new Scene(server)
    await empty.call('FLUSHALL')
    return empty
  })
  afterEach(async () => {
    for (const each of undo.splice(0).reverse()) await each()
  })

  /** A page, of which nothing may go wrong unnoticed. */
  const open = async (url: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1100, height: 700 }, ...options })
    context.setDefaultTimeout(20_000)
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

  /** `holdfast ui` of the server's locks. */
  const served = (args?: readonly string[], env?: Readonly<Record<string, string>>) =>
    serve(program, server.url, args, env)
  return {
    program,
    server,
    scene,
    serve: served,
    open,
    /** The page of all locks. */
    openServed: async (query = '', args: readonly string[] = []) =>
      await open(`${(await served(args)).url}${query}`),
    /** Done after the test. */
    later: (each: () => unknown) => void undo.push(each),
  }
}

/** A text that is to be seen. */
export async function shows(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).filter({ visible: true }).first().waitFor()
}
