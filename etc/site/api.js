/** Writes the API reference as Markdown: `node api.js OUT NAME=ENTRY…`, a module for each entry, under that name. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { Application, Converter } from 'typedoc'

const [out, ...named] = process.argv.slice(2)
const entries = named.map((each) => each.split('='))

const app = await Application.bootstrapWithPlugins({
  plugin: ['typedoc-plugin-markdown'],
  entryPoints: entries.map(([, path]) => path),
  tsconfig: fileURLToPath(new URL('../../tsconfig.build.json', import.meta.url)),
  out,
  readme: 'none',
  // There is no address yet that links to sources could lead to.
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  // npm run typecheck does that.
  skipErrorChecking: true,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  entryFileName: 'index',
  outputFileStrategy: 'members',
  membersWithOwnFile: ['Class', 'Interface', 'Function', 'TypeAlias', 'Variable', 'Enum'],
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  pageTitleTemplates: { index: 'API', module: '{name}', member: '{name}' },
  expandObjects: false,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  classPropertiesFormat: 'table',
})
app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
  const file = context.getSymbolFromReflection?.(reflection)?.declarations?.[0]?.fileName
  const name = entries.find(([, path]) => path === file)?.[0]
  if (name !== undefined) reflection.name = name
})

const project = await app.convert()
if (project) {
  app.validate(project)
  await app.generateOutputs(project)
}
// A warning tells of a link that leads nowhere.
process.exitCode = project && !app.logger.hasErrors() && !app.logger.hasWarnings() ? 0 : 1
