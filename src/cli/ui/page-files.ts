import { brotliDecompressSync } from 'node:zlib'
import { css, html, icon, js } from './page.generated.js'

export interface PageFile {
  readonly type: string
  readonly body: string
}

const page: PageFile = { type: 'text/html; charset=utf-8', body: text(html) }

/** What a browser loads, by path. */
export const pageFiles: ReadonlyMap<string, PageFile> = new Map([
  ['/', page],
  ['/lock', page],
  ['/page.css', { type: 'text/css; charset=utf-8', body: text(css) }],
  ['/page.js', { type: 'text/javascript; charset=utf-8', body: text(js) }],
  ['/icon.svg', { type: 'image/svg+xml', body: text(icon) }],
])

function text(compressed: string): string {
  return brotliDecompressSync(Buffer.from(compressed, 'base64')).toString('utf8')
}
