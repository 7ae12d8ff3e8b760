import type { z } from 'zod'

/**
 * Marks a value of a schema as secret, for example a key, token, password, or URL that gives access. The request log
 * always masks the value, and the OpenAPI document marks it with `x-secret`.
 */
export const secret = <Schema extends z.ZodType>(schema: Schema): Schema => schema.meta({ secret: true })

/** Marks a value of a schema as secret for the request log if another field of the same object is true. */
export const secretIf = <Schema extends z.ZodType>(schema: Schema, field: string): Schema =>
  schema.meta({ secretIf: field })

export interface SecretFields {
  isSecret: boolean
  /** Field of the same object that makes the value secret. */
  secretIf?: string
  fields: Map<string, SecretFields>
  items: SecretFields[]
}

/** Returns the paths of secrets in a schema. For a union, the result includes the secrets of all options. */
export function findSecretFields(schema: z.ZodType | undefined): SecretFields {
  const found = empty()
  if (schema) collect(schema, found, new Map())
  return found
}

const empty = (): SecretFields => ({ isSecret: false, fields: new Map(), items: [] })

interface Definition {
  shape?: Record<string, z.ZodType>
  catchall?: z.ZodType
  element?: z.ZodType
  valueType?: z.ZodType
  items?: readonly z.ZodType[]
  rest?: z.ZodType | null
  options?: readonly z.ZodType[]
  left?: z.ZodType
  right?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
  out?: z.ZodType
  getter?: () => z.ZodType
}

function collect(schema: z.ZodType, place: SecretFields, entered: Map<z.ZodType, SecretFields>): void {
  const { secret: isSecret, secretIf: condition } = schema.meta() ?? {}
  if (isSecret === true) place.isSecret = true
  if (typeof condition === 'string') place.secretIf = condition
  if (entered.get(schema) === place) return
  const within = new Map(entered).set(schema, place)
  const definition = schema._zod.def as Definition
  for (const [name, field] of Object.entries(definition.shape ?? {})) {
    const at = place.fields.get(name) ?? empty()
    place.fields.set(name, at)
    descend(field, at, within)
  }
  const { catchall, element, valueType, items = [], rest } = definition
  for (const item of [catchall, element, valueType, ...items, rest]) {
    if (!item) continue
    const at = empty()
    place.items.push(at)
    descend(item, at, within)
  }
  const { options = [], left, right, innerType, in: before, out: after, getter } = definition
  for (const same of [...options, left, right, innerType, before, after, getter?.()])
    if (same) collect(same, place, within)
}

/** Visits the schema of a field. If this schema is already being visited, returns its existing result. */
function descend(schema: z.ZodType, place: SecretFields, entered: Map<z.ZodType, SecretFields>): void {
  const before = entered.get(schema)
  if (before) {
    place.isSecret ||= before.isSecret
    if (before.secretIf !== undefined) place.secretIf = before.secretIf
    place.fields = before.fields
    place.items = before.items
  } else {
    collect(schema, place, entered)
  }
}
