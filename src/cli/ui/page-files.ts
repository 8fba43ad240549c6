import { readFile } from 'node:fs/promises'

export interface PageFile {
  readonly type: string
  readonly body: string
}

const FILES = [
  ['/', 'page.html', 'text/html; charset=utf-8'],
  ['/lock', 'page.html', 'text/html; charset=utf-8'],
  ['/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/page.js', 'page.js', 'text/javascript; charset=utf-8'],
  ['/elements.js', 'elements.js', 'text/javascript; charset=utf-8'],
  ['/icon.svg', 'icon.svg', 'image/svg+xml'],
] as const

/** What a browser loads, by path; nothing else of this machine's files is ever read. */
export async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  // By the package's own name, so that it works wherever this file was built to.
  const folder = new URL('src/cli/ui/page/', import.meta.resolve('holdfast/package.json'))
  return new Map(
    await Promise.all(
      FILES.map(async ([path, file, type]) => {
        const body = await readFile(new URL(file, folder), 'utf8')
        return [path, { type, body }] as const
      }),
    ),
  )
}
