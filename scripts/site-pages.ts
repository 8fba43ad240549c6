/** The pages of the site as VitePress reads them, in etc/site/pages: those of the repository, with their links led to where these are now. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiSidebars, groupsOf, PROJECT_PAGES } from './site-sidebar.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const pages = join(root, 'etc/site/pages')

/** Languages of the files that pages lead to, where the name's end is another. */
const LANGUAGES: Readonly<Record<string, string>> = { '.ts': 'ts', '.lua': 'lua', '.json': 'json' }

export async function writePages(): Promise<void> {
  await rm(pages, { recursive: true, force: true })
  await mkdir(pages, { recursive: true })
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const sources = new Set<string>()
  await writePage('index.md', firstPage(readme), '', sources)
  for (const name of PROJECT_PAGES)
    await writePage(`${name}.md`, await readFile(join(root, `${name}.md`), 'utf8'), '', sources)
  for (const name of await readdir(join(root, 'docs'))) {
    if (name.endsWith('.md'))
      await writePage(name, await readFile(join(root, 'docs', name), 'utf8'), 'docs', sources)
    else
      for (const folder of [pages, join(pages, 'public')])
        await cp(join(root, 'docs', name), join(folder, name), { recursive: true })
  }
  // A source may lead to others, which then come later in the set.
  for (const path of sources) await writeSource(path, sources)
}

/** Completes the API pages: what they say of `docs/x.md` leads there, and the sidebar lists them. */
export async function describeApi(): Promise<void> {
  const api = join(pages, 'api')
  const names = (await readdir(api, { recursive: true })).filter((name) => name.endsWith('.md'))
  for (const name of names) {
    const text = await readFile(join(api, name), 'utf8')
    await writeFile(join(api, name), text.replaceAll(/(?<![\w/[])docs\/([\w-]+)\.md/g, '[$1](/$1.md)'))
  }
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const sidebars = { '/': groupsOf(readme), ...apiSidebars(names) }
  await writeFile(join(pages, 'sidebar.json'), JSON.stringify(sidebars))
}

/** README.md below a head of its own: its title and badges are in that, and its last section is the sidebar. */
function firstPage(readme: string): string {
  const [head = ''] = readme.split('```sh')
  const [, text, places = ''] = /\*\*(.+)\*\*: (.*)/.exec(head) ?? []
  const actions = ['Guide', 'Cookbook', 'API'].map((word, index) => ({
    theme: index === 0 ? 'brand' : 'alt',
    text: word,
    link: word === 'API' ? '/api/' : `/${word.toLowerCase()}`,
  }))
  const why = [...readme.matchAll(/^- \*\*(.+?)\.\*\* ((?:.+\n)(?: {2}.+\n)*)/gm)].slice(0, 3)
  const features = why.map(([, title, details = '']) => ({
    title,
    details: details.replaceAll(/\[|\]\(.*?\)|`/g, ''),
  }))
  const hero = { name: 'Holdfast', text, tagline: places.charAt(0).toUpperCase() + places.slice(1), actions }
  const matter = JSON.stringify({ layout: 'home', title: 'Holdfast', titleTemplate: text, hero, features })
  const body = readme.slice(head.length, readme.indexOf('\n## Documentation'))
  return `---\n${matter}\n---\n\n${why.reduce((rest, [bullet]) => rest.replace(bullet, ''), body)}`
}

async function writePage(name: string, text: string, folder: string, sources: Set<string>): Promise<void> {
  await writeFile(join(pages, name), relinked(text, folder, sources))
}

/** Leads the links of a page that stood in a folder of the repository to pages of the site; notes the other files that it leads to. */
function relinked(text: string, folder: string, sources: Set<string>): string {
  // A line for the tests, which tells readers nothing.
  const shown = text.replaceAll(/^\/\/ example: .*\n/gm, '')
  return shown.replaceAll(/\]\((?!\w+:|#|\/)([^)\s#]+)(#[^)\s]*)?\)/g, (_, path: string, anchor = '') => {
    const target = posix.join(folder, path)
    if (target.startsWith('docs/')) return `](/${target.slice('docs/'.length)}${anchor})`
    if (target === 'README.md') return `](/index.md${anchor})`
    if (PROJECT_PAGES.some((name) => target === `${name}.md`)) return `](/${target}${anchor})`
    sources.add(target)
    return `](/source/${target.replace(/\.md$/, '')}.md${anchor})`
  })
}

/** A file of the repository as a page; the search leaves it out. */
async function writeSource(path: string, sources: Set<string>): Promise<void> {
  const text = await readFile(join(root, path), 'utf8')
  const page = join(pages, 'source', `${path.replace(/\.md$/, '')}.md`)
  const language = LANGUAGES[extname(path)]
  const body = language === undefined ? text : `# ${path}\n\n\`\`\`${language}\n${text}\`\`\`\n`
  await mkdir(join(page, '..'), { recursive: true })
  await writeFile(page, `---\nsearch: false\n---\n\n${relinked(body, posix.dirname(path), sources)}`)
}
