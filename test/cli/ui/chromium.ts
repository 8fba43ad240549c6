/** A real browser, from where it is installed: Debian's `chromium`, or Chrome. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { type Browser, chromium } from 'playwright-core'

const found = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find(isProgram)

if (found === undefined && process.env['CI'])
  throw new Error('There is no Chromium: apt-get install chromium')

/** Why there is no browser; undefined if there is one. */
export const refusal = found === undefined ? 'there is no chromium on the PATH' : undefined

export async function openBrowser(): Promise<Browser> {
  // A machine of the CI's has little shared memory.
  return await chromium.launch({ executablePath: found ?? '', args: ['--disable-dev-shm-usage'] })
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
