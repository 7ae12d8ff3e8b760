import type { Method } from './methods.ts'
import { argumentName, className, snakeName } from './python-names.ts'
import { literal, type PythonTypes } from './python-types.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema's shape is its own specification's.
type Json = any

export interface Argument {
  /** Name in the request. */
  wire: string
  name: string
  type: string
  required: boolean
  description?: string
}

export interface PythonMethod {
  method: Method
  constant: string
  /** Type of the response. For a list, the type of its items. */
  reply: string
  path: string[]
  arguments: Argument[]
  /** Accepts fields with any name. */
  open: boolean
}

/** Fields that are equivalent to the header `Idempotency-Key`, which is an argument of every method. */
const keyFields = ['idempotency_key']

export function pythonMethod(method: Method, types: PythonTypes): PythonMethod {
  const area = method.python[0] as string
  const name = className(method.python.slice(1).join('-').replaceAll('_', '-'))
  const body: Json = method.body ? types.resolve(method.body.schema) : undefined
  const bodyFields = Object.entries<Json>(body?.properties ?? {})
    .filter(([wire]) => !(method.idempotent && keyFields.includes(wire)))
    .map(([wire, schema]) => ({
      wire,
      name: argumentName(wire),
      type: types.of(schema, area, name + className(wire)),
      required: (body.required ?? []).includes(wire),
      description: schema.description as string,
    }))
  const queryFields = method.query.map(({ name: wire, schema, required, description }) => ({
    wire,
    name: argumentName(wire),
    type: types.of(schema, area, name + className(wire)),
    required,
    ...(description ? { description } : {}),
  }))
  const args = [...queryFields, ...bodyFields].sort((a, b) => Number(b.required) - Number(a.required))
  const used = new Set(args.map((argument) => argument.name))
  return {
    method,
    constant: method.id.replace(/[.-]/g, '_').toUpperCase(),
    reply: replyType(method, types, area, name),
    path: method.pathParameters.map(({ name: wire }) =>
      used.has(snakeName(wire)) ? `${snakeName(wire)}_` : snakeName(wire),
    ),
    arguments: args,
    open: Boolean(body?.additionalProperties) && typeof body.additionalProperties === 'object',
  }
}

function replyType(method: Method, types: PythonTypes, area: string, name: string): string {
  if (!method.reply) return method.text ? 'str' : 'None'
  if (!method.paged) return types.of(method.reply, area, `${name}Reply`)
  return types.of(types.resolve(method.reply).properties.data.items, area, `${name}Item`)
}

export function operationsModule(methods: PythonMethod[]): string {
  const areas = [...new Set(methods.flatMap(({ reply }) => reply.match(/\b\w+(?=_types\.)/g) ?? []))].sort()
  const imports = areas.map((area) => `from .types import ${area} as ${area}_types\n`).join('')
  return `# Made by \`npm run sdk\` from the document of the API.
from typing import Any, Dict, List, Literal

from ._operation import Operation
${imports}
${methods.map(operationText).join('')}`
}

function operationText({ method, constant, reply, open }: PythonMethod): string {
  const query = method.query.map(({ name }) => name)
  const options = [
    ...(method.body && query.length > 0 ? [`query=frozenset({${query.map(literal).join(', ')}})`] : []),
    ...(method.body || open ? ['body=True'] : []),
    ...(method.idempotent ? ['idempotent=True'] : []),
    ...(method.repeatable ? ['repeatable=True'] : []),
    ...(method.open ? ['open=True'] : []),
    ...(method.text ? ['text=True'] : []),
  ]
  const given = [literal(method.id), literal(method.verb), literal(method.path), ...options]
  return `${constant}: Operation[${reply}] = Operation(\n${given.map((one) => `    ${one},\n`).join('')})\n`
}
