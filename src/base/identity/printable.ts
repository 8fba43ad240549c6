/**
 * Makes a text from the store safe for a terminal and for a log: replaces characters that move the cursor, colour the screen, break the
 * line or change the writing direction by their codes. Any program can choose such names.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
