import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { RE2JS } from 're2js'
import type { Fault } from '../errors.ts'

interface SchemaWork {
  /** JSON Schema (draft 2020-12) as JSON. */
  schema: string
  /** Value to check, as JSON. Null: only the schema is checked. */
  value: string | null
}

export interface SchemaResult {
  /** Reason why the schema cannot be used. Null if it can. */
  schemaFault: string | null
  /** Fields of the value that do not match, with the path below the value. */
  faults: Fault[]
}

const maxFaults = 20

/** Maximum size in characters of the schemas whose compiled form is kept. */
const keptSize = 2_000_000

const kept = new Map<string, ValidateFunction>()

let size = 0

/** Compiles regular expressions to an engine whose time is linear in the text. Throws for look-arounds and references. */
const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern)
    return { test: (text: string) => compiled.matcher(text).find() }
  },
  { code: 'linear' },
)

const metaschema = new Ajv2020({ strict: false })

export function work({ schema, value }: SchemaWork): SchemaResult {
  let validate: ValidateFunction
  try {
    validate = compile(schema)
  } catch (error) {
    return { schemaFault: error instanceof Error ? error.message : String(error), faults: [] }
  }
  if (value === null || validate(JSON.parse(value))) return { schemaFault: null, faults: [] }
  return { schemaFault: null, faults: (validate.errors ?? []).slice(0, maxFaults).map(toFault) }
}

function compile(text: string): ValidateFunction {
  const known = kept.get(text)
  if (known) {
    kept.delete(text)
    kept.set(text, known)
    return known
  }
  const schema = withoutDraft(JSON.parse(text))
  if (metaschema.validateSchema(schema) !== true)
    throw new Error(metaschema.errorsText(metaschema.errors?.slice(0, 5), { dataVar: 'schema' }))
  const ajv = new Ajv2020({ ...{ strict: false, allErrors: true, validateSchema: false }, code: { regExp: linear } })
  ajvFormats.default(ajv)
  const validate = ajv.compile(schema)
  keep(text, validate)
  return validate
}

/** Schemas of earlier drafts are read as draft 2020-12, because nearly all of them have the same meaning. */
function withoutDraft({ $schema, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const isDraft = typeof $schema === 'string' && /^https?:\/\/json-schema\.org\//.test($schema)
  return $schema === undefined || isDraft ? schema : { $schema, ...schema }
}

function keep(text: string, validate: ValidateFunction): void {
  kept.set(text, validate)
  size += text.length
  for (const [oldest] of kept) {
    if (size <= keptSize) break
    kept.delete(oldest)
    size -= oldest.length
  }
}

function toFault({ instancePath, message = 'is not valid', keyword, params }: ErrorObject): Fault {
  const names = instancePath.split('/').slice(1).map(unescapePointer)
  if (keyword === 'required') return { field: [...names, params.missingProperty].join('.'), issue: 'is required' }
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = params.additionalProperty ?? params.unevaluatedProperty
    return { field: [...names, name].join('.'), issue: 'is not a property of the schema' }
  }
  if (keyword === 'type') return { field: names.join('.'), issue: `must be ${nameTypes(params.type)}` }
  if (keyword === 'enum') return { field: names.join('.'), issue: `must be one of ${nameValues(params.allowedValues)}` }
  return { field: names.join('.'), issue: message.replace('NOT', 'not').slice(0, 300) }
}

const typeNames: Readonly<Record<string, string>> = {
  ...{ string: 'text', number: 'a number', integer: 'a whole number', boolean: 'true or false' },
  ...{ array: 'a list', object: 'an object', null: 'null' },
}

const nameTypes = (types: string | string[]): string =>
  [types]
    .flat()
    .map((type) => typeNames[type] ?? type)
    .join(' or ')

const nameValues = (values: unknown[]): string =>
  values
    .map((value) => JSON.stringify(value))
    .join(', ')
    .slice(0, 280)

const unescapePointer = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')
