import ts from 'typescript'
import { hole, type Range } from './text.ts'

/**
 * Content of a string expression: its text with `hole` for each expression in it, and the positions of these
 * expressions.
 */
export interface Literal {
  text: string
  holes: Range[]
}

/**
 * Reads a string, a template, or a concatenation with at least one of them. Returns undefined for other expressions.
 */
export function literalOf(node: ts.Node): Literal | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return { text: node.text, holes: [] }
  if (ts.isTemplateExpression(node)) {
    return {
      text: node.head.text + node.templateSpans.map(({ literal }) => hole + literal.text).join(''),
      holes: node.templateSpans.map(({ expression }) => rangeOf(expression)),
    }
  }
  if (ts.isParenthesizedExpression(node)) return literalOf(node.expression)
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [literalOf(node.left), literalOf(node.right)]
    if (!left && !right) return undefined
    const [a, b] = [left ?? expressionAsHole(node.left), right ?? expressionAsHole(node.right)]
    return { text: a.text + b.text, holes: [...a.holes, ...b.holes] }
  }
  return undefined
}

const expressionAsHole = (node: ts.Node): Literal => ({ text: hole, holes: [rangeOf(node)] })

const rangeOf = (node: ts.Node): Range => ({ start: node.getStart(), end: node.end })
