import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter()

/**
 * A text from the store made fit for a terminal: whatever could move the cursor, colour the screen or turn the writing
 * direction is shown as its code. Names of locks are whatever somebody chose.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** Names may be very long; a table is not the place for that. `width` is in columns of a terminal. */
export function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let cut = ''
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(cut + segment) >= width) break
    cut += segment
  }
  return `${cut}…`
}
