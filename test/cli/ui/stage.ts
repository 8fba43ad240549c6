/** A browser, and a server with a scene of locks, for the tests of the page. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { bringServer, type Server } from '../../servers/index.js'
import { standaloneClient } from '../../setup/clients.js'
import { type Program, useProgram } from '../program.js'
import { openBrowser } from './chromium.js'
import { Scene } from './scene.js'
import { type Serving, serve } from './serving.js'

const PATIENCE_MS = 20_000

export interface Stage {
  readonly program: Program
  readonly server: Server
  /** The locks of one test. */
  readonly scene: Scene
  /** `holdfast ui` of the server's locks. */
  serve(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Serving>
  /** A page, of which nothing may go wrong unnoticed. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
  /** Done after the test. */
  later(undo: () => unknown): void
}

export function useStage(): Stage {
  const program = useProgram()
  const undo: Array<() => unknown> = []
  let browser: Browser
  let server: Server
  let scene: Scene

  beforeAll(async () => {
    browser = await openBrowser()
    server = await bringServer({ flavour: 'any', args: [] })
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
  })
  beforeEach(() => {
    scene = new Scene(server)
  })
  afterEach(async () => {
    try {
      for (const each of undo.splice(0).reverse()) await each()
    } finally {
      await scene.end()
      const client = standaloneClient({ host: server.host, port: server.port })
      await client.call('FLUSHALL')
      client.disconnect()
    }
  })

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

  return {
    program,
    get server() {
      return server
    },
    get scene() {
      return scene
    },
    serve: (args, env) => serve(program, server.url, args, env),
    open,
    later: (each) => void undo.push(each),
  }
}

/** A text that is to be seen. */
export async function shows(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).filter({ visible: true }).first().waitFor()
}
