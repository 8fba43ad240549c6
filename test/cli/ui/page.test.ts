/** How the page stands with the program and its server: the token, an outage, an end. */
import { describe, expect, it } from 'vitest'
import { bringServer } from '../../servers/index.js'
import { eventually } from '../../setup/eventually.js'
import { refusal } from './chromium.js'
import { Scene } from './scene.js'
import { serve } from './serving.js'
import { shows, useStage } from './stage.js'

const TOKEN = 'correct-horse-battery-staple'

describe.skipIf(refusal !== undefined)(
  `holdfast ui in Chromium, its connection${refusal ? `: ${refusal}` : ''}`,
  () => {
    const stage = useStage()

    it('asks for the token, which is never in an address', async () => {
      await stage.scene.client('web-1:11').lock('secret').acquire()
      const { url } = await stage.serve([], { HOLDFAST_UI_TOKEN: TOKEN })
      const page = await stage.open(url)
      const addresses: string[] = []
      page.on('request', (request) => addresses.push(request.url()))
      const dialog = page.getByRole('dialog', { name: 'This page takes a token' })
      await dialog.getByLabel('Token').fill('not-the-token-at-all')
      await dialog.getByRole('button').click()
      await dialog.getByText('That is not the token.').waitFor()
      expect(await page.getByText('secret').count()).toBe(0)
      await dialog.getByLabel('Token').fill(TOKEN)
      await page.keyboard.press('Enter')
      await page.locator('#rows').getByRole('link', { name: 'secret' }).click()
      await shows(page, 'held')
      expect(addresses.filter((address) => address.includes(TOKEN))).toEqual([])
    })

    it('says that the server is away, and goes on when it is back', async () => {
      const other = await bringServer({ flavour: 'any', args: [] })
      stage.later(() => other.stop())
      const its = new Scene(other)
      stage.later(() => its.end())
      await its.client('web-1:11').lock('a').acquire()
      const { url } = await serve(stage.program, other.url)
      const page = await stage.open(url)
      await shows(page, /^Live$/)
      await other.kill()
      await shows(page, /cannot reach redis:|did not answer/)
      await shows(page, /^Below is what was seen (now|\d+ s ago)\.$/)
      expect(await page.title()).toBe('Not live · Locks · Holdfast')
      // What was seen does not seem to go on.
      const held = page.locator('#rows .age time')
      const before = await held.textContent()
      const seen = page.locator('.notice time')
      const told = await seen.textContent()
      await eventually(
        () => seen.textContent(),
        (text) => text !== told && text !== 'now',
      )
      expect(await held.textContent()).toBe(before)
      await other.restart({ keepData: false })
      await page.getByText('Live', { exact: true }).waitFor()
      expect(await page.locator('.notice').count()).toBe(0)
    })

    it('has the system’s colours, or those that were chosen, again after a load', async () => {
      const { url } = await stage.serve()
      const page = await stage.open(url, { colorScheme: 'dark' })
      const paper = (): Promise<string> =>
        page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
      const [light, dark] = ['rgb(244, 246, 248)', 'rgb(13, 17, 23)']
      expect(await paper()).toBe(dark)
      await page.emulateMedia({ colorScheme: 'light' })
      expect(await paper()).toBe(light)
      await page.getByRole('button', { name: 'Colours: the system’s. Change to light' }).click()
      await page.getByRole('button', { name: 'Colours: light. Change to dark' }).click()
      expect(await paper()).toBe(dark)
      await page.reload()
      await page.getByRole('button', { name: 'Colours: dark. Change to the system’s' }).click()
      expect(await paper()).toBe(light)
    })

    it('says that the program has ended, and goes on when it is back', async () => {
      const { url, running } = await stage.serve()
      const page = await stage.open(url)
      await shows(page, /^Live$/)
      running.child.kill('SIGINT')
      await running.outcome
      await shows(page, 'No answer; trying again…')
      await shows(page, 'The program that serves this page does not answer.')
      await stage.serve(['--port', new URL(url).port])
      await page.getByText('Live', { exact: true }).waitFor()
    })
  },
)
