import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerSide, ServerTraffic } from './server-side.js'

/** A folder in place of a server. */
export class FilesSide implements ServerSide {
  constructor(readonly folder: string) {}

  async clear(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
    await mkdir(this.folder, { recursive: true })
  }

  async resetCounters(): Promise<void> {}

  async cpuMs(): Promise<undefined> {
    return undefined
  }

  async traffic(): Promise<ServerTraffic> {
    return {}
  }

  /** The database and its log. */
  async tableBytes(): Promise<number> {
    const names = (await readdir(this.folder)).filter((name) => /^locks\.db(-wal)?$/.test(name))
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(this.folder, name))).size))
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  async close(): Promise<void> {}
}
