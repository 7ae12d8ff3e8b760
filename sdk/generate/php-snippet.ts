import type { Call } from './call.ts'

/** Returns a call of the PHP client. */
export function phpSnippet({ method, given, inPath }: Call): string {
  const named = Object.keys(given).length > 0 ? [value(given, '')] : []
  const call = `$millrace->${method.node.join('->')}(${[...inPath.map((one) => value(one, '')), ...named].join(', ')})`
  if (method.paged) return `foreach (${call} as $one) {\n    print_r($one);\n}`
  return method.reply || method.text ? `$answer = ${call};` : `${call};`
}

function value(one: unknown, indent: string): string {
  const deeper = `${indent}    `
  if (typeof one === 'string') return `'${one.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (one === null || one === undefined) return 'null'
  if (Array.isArray(one)) return `[${one.map((inner) => value(inner, indent)).join(', ')}]`
  if (typeof one !== 'object') return JSON.stringify(one)
  const fields = Object.entries(one).map(([name, inner]) => `${deeper}${value(name, '')} => ${value(inner, deeper)},\n`)
  return fields.length > 0 ? `[\n${fields.join('')}${indent}]` : 'new stdClass()'
}
