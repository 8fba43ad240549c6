import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter()

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
