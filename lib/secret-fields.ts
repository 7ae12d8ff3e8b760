import type { z } from 'zod'

/**
 * Marks what a schema describes as a secret: keys, tokens, passwords, and URLs that open something by themselves. The request log
 * masks it wherever it stands, and the API document says `x-secret`.
 */
export const secret = <Schema extends z.ZodType>(schema: Schema): Schema => schema.meta({ secret: true })

/** Where the secrets of a schema are: the value itself, values of its fields, of its items, and of fields without a name. */
export interface SecretFields {
  isSecret: boolean
  fields: Map<string, SecretFields>
  /** Of arrays, records and tuples. */
  items: SecretFields[]
}

/** Returns where the secrets of a schema are. Of a union, the secrets of all its options count. */
export function secretFieldsOf(schema: z.ZodType | undefined): SecretFields {
  const found = empty()
  if (schema) collect(schema, found, new Map())
  return found
}

const empty = (): SecretFields => ({ isSecret: false, fields: new Map(), items: [] })

/** What zod says of a schema, as far as other schemas are in it. */
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

/** Adds the secrets of a schema to those of a place. A schema that contains itself is entered once for each place. */
function collect(schema: z.ZodType, place: SecretFields, entered: Map<z.ZodType, SecretFields>): void {
  if (schema.meta()?.secret === true) place.isSecret = true
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

/** Enters a schema of a field; one that is being entered already leads back to the same place. */
function descend(schema: z.ZodType, place: SecretFields, entered: Map<z.ZodType, SecretFields>): void {
  const before = entered.get(schema)
  if (before) {
    place.isSecret ||= before.isSecret
    place.fields = before.fields
    place.items = before.items
  } else {
    collect(schema, place, entered)
  }
}
