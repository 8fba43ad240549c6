import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** Each way into the package, such as `.` or `lock`. */
export const waysIn = Object.keys(manifest.exports)
  .filter((path) => !path.endsWith('.json'))
  .map((path) => posix.normalize(path))

/** Those whose folder has another name. */
const elsewhere: Readonly<Record<string, string>> = {
  '.': 'index',
  lock: 'client/index',
  store: 'stores/kit/index',
  ui: 'cli/ui/index',
}

/** The module of a way into the package, from `src` and without its ending: `stores/etcd/index` of `etcd`. */
export function moduleOf(way: string): string {
  const modules = ['', 'stores/', 'integrations/'].map((room) => `${room}${way}/index`)
  const found = modules.find((path) => existsSync(new URL(`../src/${path}.ts`, import.meta.url)))
  const module = elsewhere[way] ?? found
  if (module === undefined) throw new Error(`src has no index.ts for holdfast/${way}`)
  return module
}
