import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter()

/**
 * Makes a text from the store safe for a terminal: replaces characters that move the cursor, colour the screen or change the writing
 * direction by their codes. Any program can choose such names.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** Shortens a long name for a table. `width` is in columns of a terminal. */
export function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let cut = ''
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(cut + segment) >= width) break
    cut += segment
  }
  return `${cut}…`
}
