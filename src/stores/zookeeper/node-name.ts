import type { LockKeyspace } from '../../port/store.js'
import type { CellName } from '../session/cells.js'
import type { LockName } from '../session/lock-name.js'

/** What ZooKeeper takes in no name of a node: its separator, control characters, what UTF-16 needs two of, private use; and our escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const REFUSED = /[/%\u0000-\u001f\u007f-\u009f\ue000-\uf8ff\ufff0-\uffff]|[\u{10000}-\u{10ffff}]/gu

/** Begins the names of folders of ours beside locks: no encoded name begins so. */
const FOLDERS: Readonly<Record<LockKeyspace, string>> = {
  // The same nodes as those of Curator's InterProcessMutex.
  lock: '',
  'read-write': '%read-write/',
  semaphore: '%semaphore/',
  permits: '%permits/',
  latch: '%latch/',
}

/** The folder in which the locks of a keyspace are, under a root such as `/holdfast`. */
export function folderOf(root: string, keyspace: LockKeyspace): string {
  return `${root}/${FOLDERS[keyspace]}`.slice(0, -1)
}

/** The node in which those stand who want that lock. */
export function pathOf(root: string, { keyspace, name }: LockName): string {
  return `${root}/${FOLDERS[keyspace]}${encodeName(name)}`
}

/** The node that is that value. */
export function cellPathOf(root: string, { space, name }: CellName): string {
  return `${root}/%cells/${space}/${encodeName(name)}`
}

/** A name that ZooKeeper takes, another one for each; those that it takes anyway stay as they are, but for `%`. */
export function encodeName(name: string): string {
  if (name === '.' || name === '..') return name.replaceAll('.', '%2E')
  return name.replace(REFUSED, encodeURIComponent)
}

/** The name that this node encodes, if there is one. */
export function decodeName(node: string): string | undefined {
  try {
    const name = decodeURIComponent(node)
    return encodeName(name) === node ? name : undefined
  } catch {
    return undefined
  }
}
