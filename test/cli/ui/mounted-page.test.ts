/** `holdfast/ui` in a real browser, mounted in each framework; Express has its turn in mounted.test.ts. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openBrowser, refusal } from './chromium.js'
import { freeInBrowser } from './mounted-page.js'
import { express, frameworks } from './mounting.js'

describe.skipIf(refusal !== undefined)(`holdfast/ui in Chromium${refusal ? `: ${refusal}` : ''}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it.each(frameworks.filter((each) => each !== express))('in %s', async (...framework) => {
    await freeInBrowser(browser, ...framework)
  })
})
