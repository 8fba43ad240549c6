/** Lua without what only readers of lua/ need: headers, comments, indentation and empty lines. */
export function luaText(source: string): string {
  return source
    .replace(/^[ \t]*--\[\[.*?\]\]\n/gms, '')
    .replace(/^[ \t]*--(?!@include ).*\n/gm, '')
    .replace(/^[ \t]+/gm, '')
    .replace(/^\n/gm, '')
}
