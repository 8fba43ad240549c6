import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import lockfile, { type LockOptions } from 'proper-lockfile'
import type { Library, Open } from '../../drivers/library.js'
import type { Place } from '../../drivers/place.js'
import { versionOf } from '../version.js'

/** Told to wait without end, in the pauses that are its default. */
export const open: Open = (place) => opened(place, { forever: true })

/** Told to ask again soon. */
export const openQuick: Open = (place) =>
  opened(place, { forever: true, minTimeout: 10, maxTimeout: 50, randomize: true })

function opened({ folder = '.' }: Place, retries: LockOptions['retries']): Library {
  const made = new Map<string, Promise<string>>()
  return {
    version: versionOf('proper-lockfile'),
    async section(key, body) {
      const file = made.get(key) ?? fileFor(folder, key)
      made.set(key, file)
      const release = await lockfile.lock(await file, { retries })
      const working = body()
      if (working) await working
      await release()
    },
    close: () => Promise.resolve(),
  }
}

/** What is locked must be there. */
async function fileFor(folder: string, key: string): Promise<string> {
  const file = join(folder, key.replaceAll(':', '-'))
  await writeFile(file, '', { flag: 'a' })
  return file
}
