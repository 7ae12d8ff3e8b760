import ts from 'typescript'
import { commentsOf } from './comments.ts'
import { segmentsOf, withoutTags } from './html.ts'
import { kindByParent, looksLikeProse, type Place } from './kind.ts'
import { literalOf } from './literal.ts'
import { countWords, lineAt, normalized, paragraphsIn, type Text } from './text.ts'

type Found = Pick<Text, 'kind' | 'text' | 'start' | 'end' | 'holes' | 'form'>

/** Returns the texts of a TypeScript or JavaScript file: strings that people read, pages, and comments. */
export function textsOfCode(path: string, source: string): Text[] {
  const script = path.endsWith('.ts') ? ts.ScriptKind.TS : ts.ScriptKind.JS
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, script)
  const layer = path.split('/')[0] ?? ''
  const isPage = source.includes('html`') || script === ts.ScriptKind.JS
  const found: Found[] = []
  visit(file, (node, text) => found.push(...literalText(node, { text, layer, isPage })), found)
  for (const { start, end, text } of commentsOf(file))
    found.push({ kind: 'comment', text, start, end, holes: [], form: 'comment' })
  return found.map((one) => ({ ...one, text: normalized(one.text), file: path, line: lineAt(source, one.start) }))
}

/**
 * Walks through the nodes that have texts. `addLiteral` receives each string expression as a whole. `found` receives
 * the texts of pages.
 */
function visit(node: ts.Node, addLiteral: (node: ts.Expression, text: string) => void, found: Found[]): void {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return
  const visitChild = (child: ts.Node): void => visit(child, addLiteral, found)
  if (ts.isTaggedTemplateExpression(node)) {
    if (node.tag.getText() === 'html') found.push(...pageTexts(node.template))
    if (ts.isTemplateExpression(node.template))
      for (const { expression } of node.template.templateSpans) visitChild(expression)
    return
  }
  const literal = literalOf(node)
  if (literal) {
    addLiteral(node as ts.Expression, normalized(literal.text))
    visitExpressionsOf(node, visitChild)
  } else ts.forEachChild(node, visitChild)
}

/** Visits the expressions inside a template or a concatenation. The literals in them are separate texts. */
function visitExpressionsOf(node: ts.Node, visitChild: (node: ts.Node) => void): void {
  ts.forEachChild(node, (child) => {
    if (ts.isTemplateSpan(child)) visitChild(child.expression)
    else if (ts.isBinaryExpression(child) || ts.isParenthesizedExpression(child)) visitExpressionsOf(child, visitChild)
    else if (!literalOf(child)) visitChild(child)
  })
}

function literalText(node: ts.Expression, place: Place): Found[] {
  if (countWords(place.text) === 0) return []
  const fallback = place.layer === 'ops' ? 'cli' : place.isPage ? 'page' : 'other'
  const kind = kindByParent(node, place) ?? (looksLikeProse(place.text, place.isPage) ? fallback : undefined)
  const { text = '', holes = [] } = literalOf(node) ?? {}
  if (!kind) return []
  const where = { start: node.getStart(), end: node.end, holes, form: 'string' } as const
  return paragraphsIn(text).map((part) => ({ kind, text: part, ...where }))
}

function pageTexts(template: ts.TemplateLiteral): Found[] {
  return segmentsOf(template).flatMap(({ text, isAttribute, ...where }) => {
    const shown = normalized(withoutTags(text))
    const isText = countWords(shown) >= 1 && /[a-z]{2,}/.test(shown.replaceAll('{x}', '')) && !/^[\w-]+="/.test(shown)
    return isText ? [{ kind: 'page', text: shown, ...where, form: isAttribute ? 'attribute' : 'html' }] : []
  })
}
