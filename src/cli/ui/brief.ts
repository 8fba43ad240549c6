import { printable } from '../../base/identity/printable.js'
import { shortened } from '../shortened.js'

/** No page shows more of a name or an owner, in columns. */
const WIDEST = 120

/** A text of any length that any program may have chosen, for a page. */
export function brief(text: string): string {
  // More than a grapheme has; what is measured grapheme by grapheme must not be long.
  return shortened(printable(text.slice(0, 8 * WIDEST)), WIDEST)
}
