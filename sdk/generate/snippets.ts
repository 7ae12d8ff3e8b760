import type { Call } from './call.ts'
import { goSnippet } from './go-snippet.ts'
import type { Method } from './methods.ts'
import { phpSnippet } from './php-snippet.ts'
import { buildSample } from './samples.ts'

/** A code sample of an operation for OpenAPI viewers (`x-codeSamples`). */
export interface Snippet {
  lang: string
  label: string
  source: string
}

/** Values of a call. Values that are not given are placeholders or samples. */
export interface CallValues {
  path?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
}

/**
 * Returns the call of a method in shell, Node, Python, PHP and Go. The call has the given values, the declared example or its
 * required fields.
 */
export function buildSnippets(
  method: Method,
  // biome-ignore lint/suspicious/noExplicitAny: schemas of the document, by their names.
  components: Record<string, any>,
  values: CallValues = {},
): Snippet[] {
  const body = method.body && (values.body ?? method.body.example ?? buildSample(method.body.schema, components))
  const required = method.query.filter((one) => one.required)
  const query = {
    ...Object.fromEntries(required.map(({ name, schema }) => [name, buildSample(schema, components)])),
    ...values.query,
  }
  const inPath = method.pathParameters.map(({ name }) => values.path?.[name] ?? placeholder(name))
  const call = { method, body, query, given: { ...query, ...(isObject(body) ? body : {}) }, inPath }
  return [
    { lang: 'Shell', label: 'curl', source: curl(call) },
    { lang: 'JavaScript', label: 'Node', source: node(call) },
    { lang: 'Python', label: 'Python', source: python(call) },
    { lang: 'PHP', label: 'PHP', source: phpSnippet(call) },
    { lang: 'Go', label: 'Go', source: goSnippet(call, components) },
  ]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a placeholder for a path parameter, for example MESSAGE_ID for `messageId` and `message_id`. */
const placeholder = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

function curl({ method, body, query, inPath }: Call): string {
  const named = new Map(method.pathParameters.map(({ name }, i) => [name, inPath[i]]))
  const path = method.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(named.get(name) ?? placeholder(name)),
  )
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const verb = method.verb === 'GET' ? '' : `-X ${method.verb} `
  const lines = [`curl ${verb}"$MILLRACE_BASE_URL${path}${search.size > 0 ? `?${search}` : ''}"`]
  if (!method.open) lines.push('-H "authorization: Bearer $MILLRACE_API_KEY"')
  if (body !== undefined) {
    lines.push("-H 'content-type: application/json'")
    lines.push(`-d '${JSON.stringify(body, undefined, 2).replaceAll("'", "'\\''")}'`)
  }
  return lines.join(' \\\n  ')
}

function node({ method, given, inPath }: Call): string {
  const named = Object.keys(given).length > 0 ? [literal(given, '')] : []
  const call = `millrace.${method.node.join('.')}(${[...inPath.map((one) => literal(one, '')), ...named].join(', ')})`
  return method.paged ? `for await (const one of ${call}) console.log(one)` : `const answer = await ${call}`
}

function literal(value: unknown, indent: string): string {
  const deeper = `${indent}  `
  if (typeof value === 'string') {
    const inner = JSON.stringify(value).slice(1, -1)
    return `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  }
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, indent)).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  const fields = Object.entries(value).map(([name, one]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
    return `${deeper}${key}: ${literal(one, deeper)},\n`
  })
  return fields.length > 0 ? `{\n${fields.join('')}${indent}}` : '{}'
}

const reserved = new Set(
  'False,None,True,and,as,assert,async,await,break,class,continue,def,del,elif,else,except,finally,for,from,global,if,import,in,is,lambda,nonlocal,not,or,pass,raise,return,try,while,with,yield'.split(
    ',',
  ),
)

function python({ method, given, inPath: path }: Call): string {
  const inPath = path.map((one) => repr(one, ''))
  const named = Object.entries(given).map(
    ([name, value]) => `${reserved.has(name) ? `${name}_` : name}=${repr(value, '    ')}`,
  )
  const name = `millrace.${method.python.join('.')}`
  const call =
    named.length > 0 ? `${name}(\n    ${[...inPath, ...named].join(',\n    ')},\n)` : `${name}(${inPath.join(', ')})`
  return method.paged ? `for one in ${call}:\n    print(one)` : `answer = ${call}`
}

function repr(value: unknown, indent: string): string {
  const deeper = `${indent}    `
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map((one) => repr(one, indent)).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, one]) => `${deeper}${JSON.stringify(name)}: ${repr(one, deeper)},\n`)
  return fields.length > 0 ? `{\n${fields.join('')}${indent}}` : '{}'
}
