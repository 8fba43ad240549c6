import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * What the lock protects: a folder with one file for each page, and in it the number of entries on that page. An entry is read,
 * pause, write. Nothing here keeps two processes apart.
 */
export class Ledger {
  constructor(readonly dir: string) {}

  /** A new ledger without entries. */
  static async open(): Promise<Ledger> {
    return new Ledger(await mkdtemp(join(tmpdir(), 'holdfast-demo-')))
  }

  /** Makes one entry. Whoever does so at the same time overwrites it. */
  async enter(page: string, pause: () => Promise<void>): Promise<void> {
    const before = await this.#read(page)
    await pause()
    await this.#write(page, before + 1)
  }

  /** How many entries there are. */
  async count(): Promise<number> {
    const pages = (await readdir(this.dir)).filter((name) => !name.endsWith('.new'))
    const counts = await Promise.all(pages.map((page) => this.#read(page)))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true })
  }

  async #read(page: string): Promise<number> {
    try {
      return Number(await readFile(join(this.dir, page), 'utf8'))
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
      throw error
    }
  }

  /** The file changes in one step: an entry can be lost here, but no page torn. */
  async #write(page: string, count: number): Promise<void> {
    const fresh = join(this.dir, `${randomUUID()}.new`)
    await writeFile(fresh, String(count))
    await rename(fresh, join(this.dir, page))
  }
}
