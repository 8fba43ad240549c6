import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { StoreError } from '../../base/errors/errors.js'
import { codeOf } from '../../base/errors/is-error.js'
import { unusable } from './failure.js'
import { networkFileSystemOf } from './network-file-system.js'
import type { SqliteTerms } from './options.js'

/**
 * The database file. This never opens an existing one: on POSIX systems, a process that closes any descriptor of a file loses all its locks
 * on it, SQLite's too.
 */
export class DatabaseFile {
  /** Without symbolic links, so that all processes find the same files beside it. */
  readonly path: string
  readonly mode: number
  /** Whether there is none, nor shall be one: it is empty until another process makes it. */
  readonly missing: boolean
  /** Which file it is, wherever its name leads meanwhile. */
  readonly #identity: string | undefined

  /**
   * Makes it if it is not there, unless its client only looks.
   * @param warn hears of likely trouble
   * @throws StoreError and errors of the file system
   */
  constructor(
    { path, mode, networkFileSystem, looks = false }: SqliteTerms,
    warn: (error: StoreError) => void,
    networkOf: (folder: string) => string | undefined = networkFileSystemOf,
  ) {
    this.mode = mode
    this.missing = looks && !existsSync(path)
    if (this.missing) {
      this.path = path
      return
    }
    const folder = dirname(path)
    makeFolder(folder, mode)
    const network = networkOf(folder)
    if (network !== undefined) {
      const error = unusable(
        'not-ready',
        `${path} is on a network file system (${network}), where locks of one machine do not hold for another: ` +
          "choose a local folder, or set networkFileSystem: 'warn' if one machine alone uses it.",
      )
      if (networkFileSystem === 'refuse') throw error
      warn(error)
    }
    makeFile(path, mode)
    this.path = realpathSync(path)
    this.#identity = identityOf(this.path)
    const found = statSync(this.path)
    if (!found.isFile()) throw unusable('wrong-type', `${path} is no file.`)
    if (found.nlink > 1)
      throw unusable(
        'not-ready',
        `${path} has several names (hard links): processes that use another one would not see the same locks.`,
      )
  }

  /** What SQLite opens. */
  get source(): string {
    return this.missing ? ':memory:' : this.path
  }

  get bells(): string {
    return `${this.path}-bells`
  }

  get log(): string {
    return `${this.path}-wal`
  }

  /** The index of the log. */
  get index(): string {
    return `${this.path}-shm`
  }

  /** Whether its name still leads to it. */
  get inPlace(): boolean {
    return identityOf(this.path) === this.#identity
  }
}

/** Makes a folder, if it is not there, that whoever may read such files may search. */
export function makeFolder(folder: string, mode: number): void {
  const folderMode = mode | ((mode & 0o444) >> 2)
  // Whatever the process's mask of modes is.
  if (madeFolder(folder, folderMode)) chmodSync(folder, folderMode)
}

/** Makes a folder with its parents. Node's `recursive` tries for ever in a folder that denies being the parent (/proc, a map of automounts). */
function madeFolder(folder: string, mode: number): boolean {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false
  const parent = dirname(folder)
  if (parent !== folder) madeFolder(parent, mode)
  try {
    mkdirSync(folder, { mode })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function makeFile(path: string, mode: number): void {
  let descriptor: number
  try {
    descriptor = openSync(path, 'wx', mode)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    throw error
  }
  // Nobody has locked it yet.
  fchmodSync(descriptor, mode)
  closeSync(descriptor)
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
