/** How the page stands with the program and its server: the token, an outage, an end. */
import { describe, expect, it } from 'vitest'
import { bringServer } from '../../servers/index.js'
import { refusal } from './chromium.js'
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
      const { url } = await serve(stage.program, other.url)
      const page = await stage.open(url)
      await shows(page, /^Live$/)
      await other.kill()
      await shows(page, /cannot reach redis:|did not answer/)
      await other.restart({ keepData: false })
      await page.getByText('Live', { exact: true }).waitFor()
    })

    it('says that the program has ended, and goes on when it is back', async () => {
      const { url, running } = await stage.serve()
      const page = await stage.open(url)
      await shows(page, /^Live$/)
      running.child.kill('SIGINT')
      await running.outcome
      await shows(page, 'No answer; trying again…')
      await stage.serve(['--port', new URL(url).port])
      await page.getByText('Live', { exact: true }).waitFor()
    })
  },
)
