/** `holdfast/ui` in a real browser, mounted in each framework. */
import web from 'express'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openBrowser, refusal } from './chromium.js'
import { frameworks, freeInBrowser, originOf, pageOf } from './mounting.js'

describe.skipIf(refusal !== undefined)(`holdfast/ui in Chromium${refusal ? `: ${refusal}` : ''}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it.each(frameworks)('in %s', async (...framework) => {
    await freeInBrowser(browser, ...framework)
  })

  it('says that the login has ended, and goes on after the next', async () => {
    const { page: mounted } = pageOf()
    let isIn = true
    const app = web()
    app.use('/login', (_, response) => void response.send('<h1>Who are you?</h1>'))
    app.use('/locks', (_, response, next) => (isIn ? next() : response.redirect('/login')), mounted.handler)
    const http = app.listen(0, 'localhost')
    onTestFinished(() => {
      http.closeAllConnections()
      http.close()
    })
    const page = await browser.newPage()
    await page.goto(`${await originOf(http)}/locks`)
    await page.locator('#connection.live').waitFor()
    isIn = false
    http.closeAllConnections()
    await page.getByText('Not let through: load the page again, to log in.').waitFor()
    expect(await page.getByText('Who are you?').count()).toBe(0)
    isIn = true
    await page.locator('#connection.live').waitFor()
  })
})
