import { createHash, randomBytes } from 'node:crypto'
import { InvalidArgumentError } from '../errors/errors.js'
import { fieldsOf, textOf } from './fields.js'
import type { Owner } from './owner.js'

/** The first field of the text, so that later layouts differ from this one. */
const LAYOUT = 1
const SECRET_BYTES = 24

/**
 * What a detached hold is adopted with. The store has the lock meanwhile as that owner's: everybody may know it, because the secret cannot
 * be found from it.
 */
export function newTicket(name: string): { readonly text: string; readonly owner: Owner } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return { text: textOf([LAYOUT, name, secret]), owner: ownerOf(secret) }
}

/**
 * As whom the store has a lock of that name for the holder of the ticket.
 *
 * @throws `InvalidArgumentError`, which does not show the text, if it is no ticket for that lock.
 */
export function ticketOwner(text: unknown, name: string): Owner {
  const [layout, of, secret] = typeof text === 'string' ? fieldsOf(text) : []
  if (layout === LAYOUT && of === name && typeof secret === 'string') return ownerOf(secret)
  const found =
    layout === LAYOUT && typeof of === 'string' ? `one for the lock ${JSON.stringify(of)}` : typeof text
  throw new InvalidArgumentError('ticket', found, 'the text that hold.detach() gave for this lock', {
    lockName: name,
  })
}

/** In the format of a client's id, and a number that no client gives. */
function ownerOf(secret: string): Owner {
  const hex = createHash('sha256').update(secret).digest('hex')
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)]
  return `${id.join('-')}:0`
}
