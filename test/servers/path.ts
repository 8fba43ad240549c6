import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { succeeds } from './until.js'

export async function onPath(program: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const candidate = join(folder, program)
    if (folder !== '' && (await succeeds(access(candidate, constants.X_OK)))) return candidate
  }
  return undefined
}
