import ts from 'typescript'
import { prelude } from './prelude.js'
import { root, type Snippet } from './snippet.js'

/** Has the compiler check all of them, each as a module in the folder of its page; tells what it complains of. */
export function typeErrors(snippets: readonly Snippet[]): string[] {
  const [ofNest, others] = [snippets.filter(isOfNest), snippets.filter((snippet) => !isOfNest(snippet))]
  const options = compilerOptions()
  return [
    ...errorsIn(others, options),
    ...(ofNest.length > 0 ? errorsIn(ofNest, { ...options, ...nestOptions }) : []),
  ]
}

/** As Nest's own template sets them: its decorators are older than the standard. */
export const nestOptions: ts.CompilerOptions = { experimentalDecorators: true, emitDecoratorMetadata: true }

export function isOfNest({ code }: Snippet): boolean {
  return code.includes("from '@nestjs/")
}

/** All at once. */
function errorsIn(snippets: readonly Snippet[], options: ts.CompilerOptions): string[] {
  const files = new Map([[`${root}docs/prelude.snippet.d.ts`, prelude]])
  const origins = new Map<string, Snippet>()
  for (const snippet of snippets) {
    const file = `${root}docs/${snippet.page.replaceAll('/', '-')}-${snippet.line}.snippet.ts`
    // What imports and exports nothing would share its names with all others.
    files.set(file, `${snippet.code}export {}\n`)
    origins.set(file, snippet)
  }
  const program = ts.createProgram([...files.keys()], options, hostWith(files, options))
  return [...files.keys()].flatMap((file) => {
    const source = program.getSourceFile(file)
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return found.map((diagnostic) => tell(diagnostic, origins.get(file)))
  })
}

/** Those of this package, except for what is a matter of its own style. */
function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root)
  return { ...options, noEmit: true, noPropertyAccessFromIndexSignature: false }
}

function hostWith(files: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options, true)
  return {
    ...host,
    fileExists: (name) => files.has(name) || host.fileExists(name),
    readFile: (name) => files.get(name) ?? host.readFile(name),
    getSourceFile: (name, language, ...rest) => {
      const text = files.get(name)
      if (text === undefined) return host.getSourceFile(name, language, ...rest)
      const settings = typeof language === 'object' ? language : { languageVersion: language }
      return ts.createSourceFile(name, text, { ...settings, impliedNodeFormat: ts.ModuleKind.ESNext }, true)
    },
  }
}

function tell(diagnostic: ts.Diagnostic, origin: Snippet | undefined): string {
  const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')
  if (!origin) return `prelude: ${text}`
  const { file, start = 0 } = diagnostic
  const line = file ? file.getLineAndCharacterOfPosition(start).line : 0
  return `${origin.page}:${origin.line + line}: ${text}`
}
