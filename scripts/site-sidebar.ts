/** The sidebar of the site: the groups of README.md's last section, its tables of stores and kinds, and the API. */

export interface SidebarGroup {
  readonly text: string
  readonly collapsed?: boolean
  readonly items: ReadonlyArray<{ readonly text: string; readonly link: string } | SidebarGroup>
}

/** Pages in the root of the repository. */
export const PROJECT_PAGES = ['CONTRIBUTING', 'SECURITY', 'CODE_OF_CONDUCT', 'CHANGELOG']

const LINK = /\[(`[^`]+`|[^\]`]+)\]\((?:docs\/)?([\w-]+)\.md\)/g

export function groupsOf(readme: string): SidebarGroup[] {
  const section = (title: string): string => readme.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
  const listed = section('Documentation')
    .split(/^- /m)
    .slice(1)
    .map((bullet) => group(/^\*\*(.+?)\*\*/.exec(bullet)?.[1] ?? 'The project', linksOf(bullet)))
  const rows = (title: string): string[] => section(title).match(/^\| \[`(?!new ).*?\]\([^`]*?\)/gm) ?? []
  const tables = [
    group('Kinds of locks', rows('Kinds of locks').flatMap(linksOf), true),
    group('Stores', rows('Stores').flatMap(linksOf), true),
  ]
  return [...listed.slice(0, 1), ...tables, ...listed.slice(1)]
}

function group(text: string, items: SidebarGroup['items'], collapsed = false): SidebarGroup {
  return { text, collapsed, items }
}

function linksOf(text: string): Array<{ text: string; link: string }> {
  return [...text.matchAll(LINK)].map(([, words = '', page]) => {
    // A kind by its name, without its arguments. Prose begins with a capital letter, code does not.
    const shown = words.replace(/^`|\(.*|`$/g, '')
    const text = words.startsWith('`') ? shown : shown.charAt(0).toUpperCase() + shown.slice(1)
    return { text, link: `/${page}` }
  })
}

/** The sidebar of each way into the package: its symbols, and below them the other ways in. */
export function apiSidebars(files: readonly string[]): Record<string, SidebarGroup[]> {
  const modules = files
    .filter((file) => file.endsWith('/index.md'))
    .map((file) => file.slice(0, -'/index.md'.length))
    .sort()
  const overviews = modules.map((module) => ({ text: module, link: `/api/${module}/` }))
  const sidebarOf = (module: string): SidebarGroup[] => [
    group(module, symbolsOf(module, files)),
    group('Ways in', overviews),
  ]
  return {
    '/api/': [group('Ways in', overviews)],
    ...Object.fromEntries(modules.map((module) => [`/api/${module}/`, sidebarOf(module)])),
  }
}

/** The files of a module lie in a folder for each sort of symbol. */
function symbolsOf(module: string, files: readonly string[]): SidebarGroup['items'] {
  const own = new RegExp(`^${module}/[\\w-]+/(?!index\\.md)([^/]+)\\.md$`)
  return files
    .flatMap((file) => {
      const symbol = own.exec(file)?.[1]
      return symbol === undefined
        ? []
        : [{ text: symbol, link: `/api/${module}/${file.slice(module.length + 1, -3)}` }]
    })
    .sort((one, other) => one.text.localeCompare(other.text, 'en'))
}
