import { brotliDecompressSync } from 'node:zlib'
import { compressed } from './page.generated.js'

export interface PageFile {
  readonly type: string
  readonly body: string
}

const texts: Readonly<Record<'html' | 'css' | 'js' | 'icon', string>> = JSON.parse(
  brotliDecompressSync(Buffer.from(compressed, 'base64')).toString(),
)
const page: PageFile = { type: 'text/html; charset=utf-8', body: texts.html }

/** What a browser loads, by path. */
export const pageFiles: ReadonlyMap<string, PageFile> = new Map([
  ['/', page],
  ['/lock', page],
  ['/page.css', { type: 'text/css; charset=utf-8', body: texts.css }],
  ['/page.js', { type: 'text/javascript; charset=utf-8', body: texts.js }],
  ['/icon.svg', { type: 'image/svg+xml', body: texts.icon }],
])
