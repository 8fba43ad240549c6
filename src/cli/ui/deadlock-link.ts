import type { DeadlockLink, LockRole } from '../../base/errors/deadlock-error.js'
import { brief } from './brief.js'
import { who } from './changes.js'
import type { Corner, Link } from './picture.js'
import { hrefOf } from './row.js'

/** One of those that wait for each other, as a page draws it. */
export function linkOf({ owner, holds, waitsFor, waitsSince }: DeadlockLink): Link {
  return {
    who: who(owner),
    holds: cornerOf(holds),
    waitsFor: cornerOf(waitsFor),
    since: waitsSince,
    text: `${who(owner)} holds ${roleText(holds)} and waits for ${roleText(waitsFor)}.`,
  }
}

function cornerOf({ kind, name }: LockRole): Corner {
  return { kind, name: brief(name), href: hrefOf(name) }
}

function roleText({ kind, name }: LockRole): string {
  return `the ${kind} ${brief(name)}`
}
