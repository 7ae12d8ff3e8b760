// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is of any shape.
export type Schema = any

type Name = (id: string) => string

export function typeOf(schema: Schema, indent: string, name: Name): string {
  if (schema === true || schema === undefined) return 'unknown'
  if (schema.$ref) return name(schema.$ref.split('/').at(-1))
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value: unknown) => JSON.stringify(value)).join(' | ')
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return union(alternatives.map((one: Schema) => typeOf(one, indent, name)))
  // Next to a type, `allOf` has only more patterns.
  if (schema.allOf && !schema.type)
    return schema.allOf.map((one: Schema) => `(${typeOf(one, indent, name)})`).join(' & ')
  if (Array.isArray(schema.type))
    return union(schema.type.map((type: string) => typeOf({ ...schema, type }, indent, name)))
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return `Array<${typeOf(schema.items, indent, name)}>`
    case 'object':
      return objectType(schema, indent, name)
    default:
      return 'unknown'
  }
}

const union = (types: string[]): string => [...new Set(types)].join(' | ')

function objectType(schema: Schema, indent: string, name: Name): string {
  const inner = `${indent}  `
  const required = new Set<string>(schema.required ?? [])
  const fields = Object.entries<Schema>(schema.properties ?? {}).map(([key, field]) => {
    const type = typeOf(field, inner, name)
    const property = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)
    const written = required.has(key) ? `${property}: ${type}` : `${property}?: ${type} | undefined`
    return `${renderComment(fieldComment(field), inner)}${inner}${written}\n`
  })
  const rest = schema.additionalProperties
  const isOpen = rest !== undefined && rest !== false
  if (fields.length === 0) return isOpen ? `Record<string, ${typeOf(rest, inner, name)}>` : 'Record<string, never>'
  // The index signature must be at least as wide as the named properties.
  const others = isOpen ? `${inner}[name: string]: unknown\n` : ''
  return `{\n${fields.join('')}${others}${indent}}`
}

const fieldComment = ({ description = '', default: usual }: Schema): string =>
  usual === undefined ? description : `${description}${description && '; '}by default \`${JSON.stringify(usual)}\``

export function renderComment(text: string, indent: string): string {
  const safe = text.trim().replaceAll('*/', '*\\/')
  if (safe === '') return ''
  const lines = safe.split('\n')
  if (lines.length === 1) return `${indent}/** ${safe} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}
