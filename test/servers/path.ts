import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import process from 'node:process'

export async function onPath(program: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const candidate = join(folder, program)
    const found = await access(candidate, constants.X_OK).then(
      () => folder !== '',
      () => false,
    )
    if (found) return candidate
  }
  return undefined
}
