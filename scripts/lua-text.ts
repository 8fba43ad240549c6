/**
 * Lua as it is embedded. Headers, comments, indentation and spaces around signs are for readers of lua/: Redis need not store them, nor
 * every bundle carry them.
 */
export function luaText(source: string): string {
  return (
    source
      .replace(/^[ \t]*--\[\[.*?\]\]\n/gms, '')
      .replace(/^[ \t]*--(?!@include ).*\n/gm, '')
      .replace(/^[ \t]+/gm, '')
      .replace(/^\n/gm, '')
      // Texts first. Not around minus signs, two of which begin a comment, nor around dots.
      .replace(
        /('[^'\n]*'|"[^"\n]*")|[ \t]*([=,(){}<>~+*/]+)[ \t]*/g,
        (_, quoted = '', sign = '') => quoted + sign,
      )
  )
}
