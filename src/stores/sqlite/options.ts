import { resolve } from 'node:path'
import { checkObject, invalidNumber, whole } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { lineForClient } from '../../base/packages/known-clients.js'

/** Where the file is, and what it may be used for. */
export interface SqliteOptions {
  /**
   * The file, for Holdfast alone; Holdfast creates it and its folder if they are missing. Beside it stand SQLite's two files, whose names
   * end in `-wal` and `-shm`, and a folder whose name ends in `-bells`. A relative path counts from the present working directory.
   */
  readonly path: string
  /**
   * The mode of a new file, such as `0o660` for the users of a group; a new folder has the same, and they may search it. An existing file
   * or folder keeps its mode. Without effect on Windows.
   * @default 0o600
   */
  readonly mode?: number
  /**
   * What to do with a file on a network file system, where several machines may open it and no lock in it is safe. `'refuse'`: commands
   * reject with a `StoreError`. `'warn'`: Holdfast uses the file, and the client's `error` event says so once.
   * @default 'refuse'
   */
  readonly networkFileSystem?: 'refuse' | 'warn'
  /**
   * For how long, in milliseconds, the row of a lock that nobody holds stays. Tokens grow after it is gone, too. Minimum: 1000.
   * @default 86400000, a day
   */
  readonly retainMs?: number
}

/** The options as they are used. `looks`: makes no file where there is none. */
export type SqliteTerms = Required<SqliteOptions> & { readonly looks?: boolean }

const DAY_MS = 86_400_000

const URL_INSTEAD =
  "the path of a file; for a URL import { storeAt } from 'holdfast/url' and write new Holdfast(storeAt(url))"

export function checkSqliteOptions(given: string | SqliteOptions | undefined): SqliteTerms {
  const options = typeof given === 'string' ? { path: given } : given
  if (options === undefined)
    throw new InvalidArgumentError(
      'file',
      options,
      'the path of a file; for the file that the command line uses write sqlite()',
    )
  const line = lineForClient(options)
  if (line !== undefined) throw new InvalidArgumentError('file', options, `the path of a file; ${line}`)
  checkObject('options', options, ['path', 'mode', 'networkFileSystem', 'retainMs'])
  const { path, mode = 0o600, networkFileSystem = 'refuse' } = options
  if (
    typeof path !== 'string' ||
    path === '' ||
    path.includes('\0') ||
    /^(:memory:|file:|sqlite:)/.test(path)
  )
    throw new InvalidArgumentError('path', path, 'the path of a file, and no URL')
  // As a path it would make a folder with the password in its name, and locks for this machine alone.
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(path)) throw new InvalidArgumentError('path', path, URL_INSTEAD)
  if (!Number.isInteger(mode) || mode < 0o600 || mode > 0o777 || (mode & 0o600) !== 0o600)
    throw invalidNumber('mode', mode, 'a mode with which its owner may read and write')
  if (networkFileSystem !== 'refuse' && networkFileSystem !== 'warn')
    throw new InvalidArgumentError('networkFileSystem', networkFileSystem, "'refuse' or 'warn'")
  const retainMs = whole('retainMs', options.retainMs, 1_000) ?? DAY_MS
  return { path: resolve(path), mode, networkFileSystem, retainMs }
}
