/** What hangs on a lock: the locks of those who wait for it, those of the ones who wait for these, and so on. */
import type { Corner, Link } from '../picture.js'
import { Lasting } from './times.js'
import { Name, plural } from './words.js'

export function HeldUp({ waits, name }: { waits: readonly Link[]; name: string }) {
  const here = `lock?${new URLSearchParams({ name })}`
  const shown = new Set([here])
  const branches = branchesOf(here, waits, shown)
  if (branches.length === 0) return null
  return (
    <section class="panel held-up" aria-labelledby="held-up-title">
      <h2 id="held-up-title">It holds up {plural(shown.size - 1, 'other lock')}</h2>
      <Branches of={branches} />
    </section>
  )
}

interface Branch {
  readonly link: Link
  readonly branches: readonly Branch[]
}

/** Each lock once: in a deadlock each hangs on itself. */
function branchesOf(key: string, waits: readonly Link[], shown: Set<string>): readonly Branch[] {
  const here = waits.filter(({ waitsFor, holds }) => keyOf(waitsFor) === key && !shown.has(keyOf(holds)))
  for (const { holds } of here) shown.add(keyOf(holds))
  return here.map((link) => ({ link, branches: branchesOf(keyOf(link.holds), waits, shown) }))
}

/** Names are shortened; addresses are not. */
function keyOf({ href, name }: Corner): string {
  return href ?? name
}

function Branches({ of }: { of: readonly Branch[] }) {
  return (
    <ul>
      {of.map(({ link, branches }) => (
        <li key={link.text}>
          <Lock {...link.holds} /> is held by <span class="who">{link.who}</span>
          <span class="quiet">
            , who waits for <Name text={link.waitsFor.name} /> for <Lasting since={link.since} />
          </span>
          {branches.length > 0 && <Branches of={branches} />}
        </li>
      ))}
    </ul>
  )
}

function Lock({ name, href }: Corner) {
  if (href === null) return <Name text={name} />
  return (
    <a href={href}>
      <Name text={name} />
    </a>
  )
}
