/** Builds the site, in site/ or the folder that is named: README.md, the pages in docs/ and the API, with a search over all of it. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { Application, Converter } from 'typedoc'

const root = fileURLToPath(new URL('../', import.meta.url))
const entries = ['', ...readdirSync(join(root, 'src'))].map((name) => join(root, 'src', name, 'index.ts'))

const app = await Application.bootstrap({
  name: 'Holdfast',
  includeVersion: true,
  entryPoints: entries.filter((entry) => existsSync(entry)),
  tsconfig: join(root, 'tsconfig.build.json'),
  readme: join(root, 'README.md'),
  projectDocuments: [
    join(root, 'docs/*.md'),
    ...['CONTRIBUTING', 'SECURITY', 'CHANGELOG'].map((name) => join(root, `${name}.md`)),
  ],
  out: process.argv[2] ?? join(root, 'site'),
  // There is no address yet that links to sources could lead to.
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  // npm run typecheck does that.
  skipErrorChecking: true,
  highlightLanguages: ['ts', 'js', 'sh', 'sql', 'java', 'json', 'yaml', 'lua'],
  ignoredHighlightLanguages: ['promql', 'text'],
  searchInComments: true,
  searchInDocuments: true,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
})
app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
  const title = /^# (.+)$/m.exec(document.content.map(({ text }) => text).join(''))?.[1]
  if (title) document.name = title
})

const project = await app.convert()
if (project) {
  app.validate(project)
  await app.generateOutputs(project)
}
// What TypeDoc warns of is a link that leads nowhere, or a page that it could not read.
process.exitCode = project && !app.logger.hasErrors() && !app.logger.hasWarnings() ? 0 : 1
