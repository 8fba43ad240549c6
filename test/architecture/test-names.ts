import ts from 'typescript'
import type { SourceFile } from './files.js'

/**
 * The names that a file of tests gives to its tests and groups: what `test`, `it` and `describe` are given first, in all their
 * forms (`skip`, `each` and so on), and what the suite makes of `given`. For an `each` that are the texts of its table.
 */
export function testNamesOf({ path, text }: SourceFile): string[] {
  const names: string[] = []
  const made = [...text.matchAll(/const (\w+) = .*\b(?:given|lingersAt)\(/g)].map(([, name = '']) => name)
  const functions = new Set(['test', 'it', 'describe', 'given', ...made])
  const visit = (node: ts.Node): void => {
    const [name] = ts.isCallExpression(node) && isAmong(functions, node.expression) ? node.arguments : []
    if (name) names.push(...textsIn(name))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
  return names
}

function isAmong(functions: ReadonlySet<string>, callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return functions.has(callee.text)
  const inner = ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)
  return inner && isAmong(functions, callee.expression)
}

function textsIn(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isTemplateExpression(node)) {
    return [node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('')]
  }
  if (ts.isPropertyAssignment(node)) return textsIn(node.initializer)
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(textsIn)
  if (ts.isObjectLiteralExpression(node)) return node.properties.flatMap(textsIn)
  if (ts.isAsExpression(node)) return textsIn(node.expression)
  return []
}
