/** The tables of docs/options.md: every option of every way into the package, as its declaration and its comment say. */
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { moduleOf, waysIn } from './ways-in.js'

/** One option. */
export interface Option {
  readonly name: string
  readonly type: string
  /** What counts without it; `required` where there is no such thing, and nothing where its text says what happens. */
  readonly standard: string
  /** The least value that is accepted. */
  readonly least: string
  readonly text: string
}

/** The options of one call, or of several that take the same. */
export interface OptionTable {
  readonly name: string
  /** The module to import them from. */
  readonly module: string
  /** The calls that take them. */
  readonly takenBy: readonly string[]
  readonly options: readonly Option[]
  /** Those that another table describes, by that table's name. */
  readonly shared: ReadonlyMap<string, readonly string[]>
}

const source = fileURLToPath(new URL('../src/', import.meta.url))
const IS_OPTIONS = /(Options|Terms)$|^VersionedRow$/
/** What a reader looks for first. */
const FIRST = ['ClientOptions', 'HoldfastOptions', 'AcquireOptions']

/** Reads all of them from the sources. */
export function optionTables(): OptionTable[] {
  const entries = waysIn.map((way) => [way, `${source}${moduleOf(way)}.ts`] as const)
  const program = ts.createProgram(
    entries.map(([, path]) => path),
    { target: ts.ScriptTarget.ES2022 },
  )
  const checker = program.getTypeChecker()
  const found = new Map<ts.Symbol, string>()
  const calls: Call[] = []
  for (const [way, path] of entries) {
    const file = program.getSourceFile(path)
    const module = file && checker.getSymbolAtLocation(file)
    if (!module) continue
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const name = way === '.' ? 'holdfast' : `holdfast/${way}`
      const isType = exported.declarations?.some(ts.isTypeOnlyExportDeclaration) ?? false
      calls.push(...callsOf(symbol, isType ? undefined : name))
      if (IS_OPTIONS.test(symbol.name) && !found.has(symbol)) found.set(symbol, name)
    }
  }
  const tables = [...found].map(([symbol, module]) => tableOf(symbol, module, calls, checker))
  const rank = ({ name }: OptionTable): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)
  return tables.sort((one, other) => rank(one) - rank(other))
}

/** A function, constructor or method, and the types of its parameters. */
interface Call {
  readonly name: string
  /** Of a constructor: the module that has its class, and not the type alone. */
  readonly from?: string
  readonly takes: readonly string[]
}

function callsOf(symbol: ts.Symbol, from: string | undefined): Call[] {
  return (symbol.declarations ?? []).flatMap((declaration): Call[] => {
    if (ts.isFunctionDeclaration(declaration)) return [callOf(symbol.name, declaration)]
    if (!ts.isClassDeclaration(declaration)) return []
    return declaration.members.flatMap((member): Call[] => {
      if (isInternal(member)) return []
      if (ts.isConstructorDeclaration(member))
        return from === undefined ? [] : [{ ...callOf(`new ${symbol.name}`, member), from }]
      const isPublic = ts.isMethodDeclaration(member) && ts.isIdentifier(member.name)
      return isPublic ? [callOf(`${symbol.name}.${member.name.text}`, member)] : []
    })
  })
}

function callOf(name: string, { parameters }: ts.SignatureDeclarationBase): Call {
  return { name, takes: parameters.flatMap(({ type }) => type?.getText().split(/\W+/) ?? []) }
}

function tableOf(
  symbol: ts.Symbol,
  module: string,
  calls: readonly Call[],
  checker: ts.TypeChecker,
): OptionTable {
  const shared = new Map<string, string[]>()
  const options: Option[] = []
  for (const property of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))) {
    const declaration = property.declarations?.[0]
    if (!declaration || !ts.isPropertySignature(declaration)) continue
    const { parent } = declaration
    const home = ts.isInterfaceDeclaration(parent) ? parent.name.text : symbol.name
    if (home === symbol.name) options.push(optionOf(property, declaration, checker))
    else shared.set(home, [...(shared.get(home) ?? []), property.name])
  }
  const taking = calls.filter(({ takes }) => takes.includes(symbol.name))
  const takenBy = [...new Set(taking.map(({ name }) => name))]
  const home = taking.find(({ from }) => from !== undefined)?.from ?? module
  return { name: symbol.name, module: home, takenBy, options, shared }
}

function optionOf(property: ts.Symbol, declaration: ts.PropertySignature, checker: ts.TypeChecker): Option {
  const said = ts.displayPartsToString(property.getDocumentationComment(checker))
  const tag = property.getJsDocTags(checker).find(({ name }) => name === 'default')
  const [sentence, least = ''] = /\s*Minimum: (.+?)\.(?=\s|$)/s.exec(said) ?? []
  const type = declaration.type?.getText().replace(/ \| undefined$/, '') ?? ''
  return {
    name: property.name,
    type: property.name.endsWith('Ms') && type === 'number' ? 'ms' : type,
    standard: declaration.questionToken ? ts.displayPartsToString(tag?.text) : 'required',
    least,
    text: said.replace(sentence ?? '', '').trim(),
  }
}

function isInternal(member: ts.ClassElement): boolean {
  const modifiers = ts.canHaveModifiers(member) ? ts.getModifiers(member) : undefined
  const tags = ts.getJSDocTags(member).map(({ tagName }) => tagName.text)
  return (
    tags.includes('internal') || (modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
  )
}
