import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const { version } = read('../../../package.json')

/**
 * Whoever searches a word wants the page that explains it: its beginning before its parts, and before pages that look things up or say
 * why. The API is behind all of them.
 */
function weightOf(id, term, { title, titles }) {
  if (/\/(api|CHANGELOG)\b/.test(id)) return 0.05
  if (/\/(options|wire-layout|decisions|migration|benchmarks\S*|testing|model|robustness)\.html/.test(id))
    return 0.4
  if (!title.toLowerCase().includes(term)) return 1
  // A part whose heading has the word stands before a page that names many things.
  return titles.length === 0 ? 3 : 1.5
}

export default defineConfig({
  title: 'Holdfast',
  description: 'A distributed, reentrant lock for Node.js',
  lang: 'en',
  srcDir: 'pages',
  metaChunk: true,
  vite: { build: { chunkSizeWarningLimit: 2_000 }, logLevel: 'warn' },
  // Wherever it is put, also below another address, given as BASE.
  base: process.env.BASE ?? '/',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    // As the code host makes them, so that a link to a part of a page leads there in both.
    anchor: {
      slugify: (text) =>
        text
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replace(/\s/g, '-'),
    },
    languageAlias: { promql: 'sql' },
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/guide' },
      { text: 'Cookbook', link: '/cookbook' },
      { text: 'Options', link: '/options' },
      { text: 'API', link: '/api/' },
      { text: version, link: '/CHANGELOG' },
    ],
    sidebar: read('../pages/sidebar.json'),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            fuzzy: (term) => (term.length > 5 ? 0.15 : false),
            prefix: true,
            boost: { title: 4, titles: 2, text: 1 },
            boostDocument: weightOf,
          },
        },
      },
    },
  },
})
