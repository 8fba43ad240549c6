/** A real browser, from where it is installed: Debian's `chromium`, or Chrome. */
import process from 'node:process'
import { type Browser, chromium } from 'playwright-core'
import { onPath } from '../../servers/path.js'

const names = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser']
const found = (await Promise.all(names.map(onPath))).find((path) => path !== undefined)

if (found === undefined && process.env['CI'])
  throw new Error('There is no Chromium: apt-get install chromium')

/** Why there is no browser; undefined if there is one. */
export const refusal = found === undefined ? 'there is no chromium on the PATH' : undefined

export async function openBrowser(): Promise<Browser> {
  // A machine of the CI's has little shared memory.
  return await chromium.launch({ executablePath: found ?? '', args: ['--disable-dev-shm-usage'] })
}
