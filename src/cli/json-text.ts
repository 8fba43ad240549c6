/**
 * JSON in which nothing steers a terminal, or turns the direction of writing: any program can choose the name of a lock, and JSON leaves some
 * of these characters as they are. It reads as the same value.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
