/** `holdfast/ui` in a real browser, mounted in each framework. */
import web from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { duringAll } from '../../setup/during.js'
import { openBrowser, refusal } from './chromium.js'
import { frameworks, LOGIN, mounted, originOf, pageOf } from './mounting.js'

describe.skipIf(refusal !== undefined)(`holdfast/ui in Chromium${refusal ? `: ${refusal}` : ''}`, () => {
  const browser = duringAll(openBrowser)

  // From the list to a lock, which is freed, and back; nothing goes wrong unnoticed.
  it.each(frameworks)('in %s', async (...framework) => {
    const { origin, holdfast } = await mounted(framework, { allowUnlock: true, server: 'the shop’s locks' })
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
  })

  it('says that the login has ended, and goes on after the next', async () => {
    const { page: ours } = pageOf()
    let isIn = true
    const app = web()
    app.use('/login', (_, response) => void response.send('<h1>Who are you?</h1>'))
    app.use('/locks', (_, response, next) => (isIn ? next() : response.redirect('/login')), ours.handler)
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
