import ts from 'typescript'

export interface Literal {
  /** Line number, counted from 1. */
  line: number
  source: string
  flags: string
  comment: string
  /** Set if the expression is built from parts, so that the source does not contain the final expression. */
  built?: true
}

export function findLiterals(path: string, text: string): Literal[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const lines = text.split('\n')
  const found: Literal[] = []
  const add = (node: ts.Node, source: string, flags: string, built = false) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
    const comment = commentOn(lines, line)
    found.push({ line: line + 1, source, flags, comment, ...(built && { built: true as const }) })
  }
  const addBuilt = (node: ts.NewExpression | ts.CallExpression) => {
    const [source, flags] = node.arguments ?? []
    if (!source) return
    if (!ts.isStringLiteralLike(source)) add(node, source.getText(file), '', true)
    else add(node, source.text, flags && ts.isStringLiteralLike(flags) ? flags.text : '')
  }
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      add(node, node.text.slice(1, end), node.text.slice(end + 1))
    } else if (isRegExp(node)) addBuilt(node)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const isRegExp = (node: ts.Node): node is ts.NewExpression | ts.CallExpression =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp'

export function commentOn(lines: readonly string[], at: number): string {
  const own = lines[at] ?? ''
  const comments = own.includes(' // ') ? [own.slice(own.lastIndexOf(' // '))] : []
  for (let above = at - 1; above >= 0; above--) {
    const line = (lines[above] ?? '').trim()
    if (!['//', '/*', '*'].some((mark) => line.startsWith(mark))) break
    comments.unshift(line)
  }
  return comments.join('\n')
}
