import { printable } from '../../base/identity/printable.js'

/** No page shows more of a name or an owner, in letters as people count them. */
const LONGEST = 120

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** A text of any length that any program may have chosen, for a page. */
export function brief(text: string): string {
  // More than a letter has; what is counted letter by letter must not be long.
  const shown = printable(text.slice(0, 8 * LONGEST))
  const all = [...letters.segment(shown)]
  if (all.length <= LONGEST) return shown
  return `${all
    .slice(0, LONGEST - 1)
    .map(({ segment }) => segment)
    .join('')}…`
}
