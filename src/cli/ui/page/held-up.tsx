/** What hangs on a lock, drawn: the locks of those who wait for it, those of the ones who wait for these, and so on. */
import type { Corner, Link, Message } from '../picture.js'
import type { Row } from '../row.js'
import { partiesText } from './row.js'
import { lockName } from './state.js'
import { Lasting } from './times.js'
import { Name, plural } from './words.js'

/** So many are drawn above the list. */
const MOST = 3

/** On the page of a lock what hangs on it, above the list the locks that hold up most: those whose holders wait for none themselves. */
export function HeldUp({ waits, rows }: Pick<Message, 'waits' | 'rows'>) {
  if (lockName === undefined)
    return (
      <>
        {jamsAmong(waits, rows).map((tree) => (
          <Jam key={tree.lock.name} {...tree} />
        ))}
      </>
    )
  const [row] = rows
  const lock = {
    kind: 'lock',
    name: row?.name ?? lockName,
    href: `lock?${new URLSearchParams({ name: lockName })}`,
  }
  const tree = treeOf(lock, waits, row)
  if (tree.size === 0) return null
  return (
    <section class="panel held-up" aria-labelledby="held-up-title">
      <h2 id="held-up-title">It holds up {plural(tree.size, 'other lock')}</h2>
      <Tree {...tree} />
    </section>
  )
}

function Jam(tree: Tree) {
  return (
    <details class="panel held-up">
      <summary>
        <strong>{tree.lock.name}</strong> holds up {plural(tree.size, 'other lock')}
      </summary>
      <Tree {...tree} />
    </details>
  )
}

function Tree({ lock, holder, branches }: Tree) {
  return (
    <div class="tree">
      <Node lock={lock} remark={holder === '' ? 'held' : `held by ${holder}`} />
      <Branches of={branches} />
    </div>
  )
}

function Branches({ of }: { of: readonly Branch[] }) {
  return (
    <ul>
      {of.map(({ link, branches }) => (
        <li key={link.text}>
          <Node lock={link.holds} remark={`held by ${link.who},`} since={link.since} />
          {branches.length > 0 && <Branches of={branches} />}
        </li>
      ))}
    </ul>
  )
}

function Node({ lock: { name, href }, remark, since }: { lock: Corner; remark: string; since?: number }) {
  return (
    <div class="node">
      {href === null || name === lockName ? (
        <strong>
          <Name text={name} />
        </strong>
      ) : (
        <a href={href}>
          <Name text={name} />
        </a>
      )}
      <span class="quiet small">
        {remark}
        {since !== undefined && (
          <>
            {' '}
            who waits for <Lasting since={since} />
          </>
        )}
      </span>
    </div>
  )
}

interface Branch {
  readonly link: Link
  readonly branches: readonly Branch[]
}

interface Tree {
  readonly lock: Corner
  readonly holder: string
  readonly branches: readonly Branch[]
  /** How many locks hang on it. */
  readonly size: number
}

function jamsAmong(waits: readonly Link[], rows: readonly Row[]): readonly Tree[] {
  const held = new Set(waits.map(({ holds }) => keyOf(holds)))
  const roots = new Map(waits.map(({ waitsFor }) => [keyOf(waitsFor), waitsFor]))
  return [...roots]
    .filter(([key]) => !held.has(key))
    .map(([key, lock]) =>
      treeOf(
        lock,
        waits,
        rows.find((row) => keyOf(row) === key),
      ),
    )
    .sort((one, other) => other.size - one.size)
    .slice(0, MOST)
}

/** Each lock once: in a deadlock each hangs on itself. */
function treeOf(lock: Corner, waits: readonly Link[], row: Row | undefined): Tree {
  const shown = new Set([keyOf(lock)])
  const branchesOf = (key: string): readonly Branch[] => {
    const here = waits.filter(({ waitsFor, holds }) => keyOf(waitsFor) === key && !shown.has(keyOf(holds)))
    for (const { holds } of here) shown.add(keyOf(holds))
    return here.map((link) => ({ link, branches: branchesOf(keyOf(link.holds)) }))
  }
  const branches = branchesOf(keyOf(lock))
  return { lock, holder: row ? partiesText(row.holders) : '', branches, size: shown.size - 1 }
}

/** Names are shortened; addresses are not. */
function keyOf({ href, name }: Pick<Corner, 'href' | 'name'>): string {
  return href ?? name
}
