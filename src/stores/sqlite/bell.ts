import {
  chmodSync,
  closeSync,
  type FSWatcher,
  openSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { withoutLabel } from '../../base/identity/label.js'
import { type DatabaseFile, makeFolder } from './database-file.js'

export interface BellListener {
  /** It rang, once or several times. */
  rang(): void
  /** Its file is not the one that was hung up, or the system watches it no more. */
  broken(error: unknown): void
}

/** A file that others write to when there is a message for this client, and that this client watches. */
export class Bell {
  readonly #path: string
  #watcher: FSWatcher | undefined
  #inode = 0

  constructor(
    private readonly file: DatabaseFile,
    client: string,
    private readonly listener: BellListener,
  ) {
    this.#path = bellOf(file, client)
  }

  /**
   * Makes the file and watches it from now on.
   * @throws if either fails
   */
  hang(): void {
    const { mode, bells } = this.file
    this.#watcher?.close()
    makeFolder(bells, mode)
    writeFileSync(this.#path, '', { mode })
    chmodSync(this.#path, mode)
    this.#inode = statSync(this.#path).ino
    const watcher = watch(this.#path, { persistent: false }, (event) => {
      if (event === 'rename' && !this.hangs) this.listener.broken(undefined)
      else this.listener.rang()
    })
    watcher.on('error', (error) => this.listener.broken(error))
    this.#watcher = watcher
  }

  /** Whether other clients still find the watched file. */
  get hangs(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode
  }

  /** Takes it away. */
  close(): void {
    this.#watcher?.close()
    remove(this.#path)
  }
}

/** Rings another client's bell. If it is gone, that client finds out by itself. */
export function ring(file: DatabaseFile, client: string): void {
  try {
    const descriptor = openSync(bellOf(file, client), 'r+')
    try {
      writeSync(descriptor, '!', 0)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Its message waits for it in the database.
  }
}

/** Takes away the bell of a client that has ended. */
export function unhang(file: DatabaseFile, client: string): void {
  remove(bellOf(file, client))
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // A file that nobody reads does no harm.
  }
}

function bellOf(file: DatabaseFile, client: string): string {
  return join(file.bells, withoutLabel(client))
}
