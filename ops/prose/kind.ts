import ts from 'typescript'
import { countWords, type Kind } from './text.ts'

/** Functions whose string arguments are error messages. */
const errorCalls = new Set([
  ...[
    'problem',
    'conflict',
    'forbidden',
    'badRequest',
    'unauthorized',
    'unavailable',
    'notFound',
    'Problem',
    'Permanent',
  ],
  ...['Rejected', 'refine', 'superRefine', 'Error', 'TypeError', 'fault'],
])
const zodChecks = /^(regex|min|max|url|email|startsWith|length|string|enum|int|number|check|literal)$/
const logCalls = /(^|\.)log(ger)?\.(trace|debug|info|warn|error|fatal)$/
const errorProperties = /^(message|error|issue|when|failure_summary|reason)$/
const pageProperties =
  /^(label|hint|title|button|empty|intro|lead|heading|legend|note|words|text|placeholder|alt|question|done|name|caption|unit)$/
const commandCalls = /\.(description|option|argument|addHelpText|summary|help)$/

/** Place of a literal. */
export interface Place {
  text: string
  /** First folder of the file's path. */
  layer: string
  /** True in files that create pages, and in JavaScript for browsers. */
  isPage: boolean
}

/**
 * Returns the kind of a literal, by the call or property that contains it. Returns undefined if neither decides the
 * kind.
 */
export function kindByParent(node: ts.Node, place: Place): Kind | undefined {
  const { parent } = node
  const hasWords = countWords(place.text) >= 2
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent))
    return parent.expression === node ? undefined : kindByCall(parent, place, hasWords)
  if (ts.isPropertyAssignment(parent) && parent.initializer === node)
    return kindByProperty(parent.name.getText().replace(/['"]/g, ''), place, hasWords)
  if (ts.isVariableDeclaration(parent) && /^(message|why|issue|summary)$/.test(parent.name.getText()) && hasWords)
    return 'error'
  return undefined
}

function kindByCall(call: ts.CallExpression | ts.NewExpression, { text, layer }: Place, hasWords: boolean) {
  const callee = call.expression.getText()
  const name = callee.split('.').at(-1) ?? ''
  const isMethod = callee.includes('.')
  if (logCalls.test(callee)) return 'log'
  if (name === 'describe' && isMethod) return 'api'
  if (!hasWords) return undefined
  if (errorCalls.has(name) || ts.isThrowStatement(call.parent)) return 'error'
  if (!text.includes(' ')) return undefined
  if (zodChecks.test(name) && isMethod) return 'error'
  return layer === 'ops' && commandCalls.test(callee) ? 'cli' : undefined
}

function kindByProperty(name: string, { text, layer, isPage }: Place, hasWords: boolean): Kind | undefined {
  if (/^(summary|description)$/.test(name)) return layer === 'ops' ? 'cli' : 'api'
  if (errorProperties.test(name) && hasWords && text.includes(' ')) return 'error'
  return isPage && pageProperties.test(name) && /[a-z]{2}/.test(text) && /^[A-Z]| /.test(text) ? 'page' : undefined
}

/** True if a literal looks like a sentence. On a page, also true if it looks like a label. */
export function looksLikeProse(text: string, isPage: boolean): boolean {
  const plain = text.replaceAll('{x}', '')
  if (/[<>{]{2}|\bselect |\bhttp|\{\s|;$|^[A-Z][a-z]+(-[A-Z][a-z]+)+$/.test(plain)) return false
  if (/^[A-Z{]([a-z’x]| [a-z])/.test(text) && (text.match(/ /g) ?? []).length >= 2 && countWords(text) >= 3) return true
  return (
    isPage &&
    (/^[A-Z][a-z’]+( [\w’,.:?!{}()–-]+)*[.?!…]?$/.test(text) || /^[a-z{][a-z’x}]*( [a-z’{}x,.]+){3,25}\.?$/.test(text))
  )
}
