/** JSON schema of the document. */
// biome-ignore lint/suspicious/noExplicitAny: the schema's shape is its own specification's.
export type Schema = any

/** Schemas by name. References use these names. */
export type Components = Readonly<Record<string, Schema>>

/** Readable form of a JSON schema. */
export interface Shape {
  /** Readable type. For example, `string`, `array of objects` or `object or null`. */
  type: string
  description: string | undefined
  /** Limits, format and default. Each is a few words long, with code in backquotes. */
  notes: readonly string[]
  /** Enum values as JSON. */
  values: readonly string[]
  fields: readonly Field[]
  /** Alternatives. Exactly one of them applies. */
  choices: readonly Choice[]
}

export interface Field extends Shape {
  name: string
  required: boolean
}

export interface Choice extends Shape {
  title: string
}

const nothing: Shape = { type: 'any value', description: undefined, notes: [], values: [], fields: [], choices: [] }
const deepest = 8
const longestPattern = 60

/** Returns the shape of a schema. If a schema contains itself, it is expanded once. */
export function shapeOf(schema: Schema, components: Components, within: readonly string[] = []): Shape {
  if (typeof schema !== 'object' || schema === null || within.length > deepest) return nothing
  const inner = (part: Schema, name = '') => shapeOf(part, components, [...within, name])
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    const shape = within.includes(name)
      ? { ...nothing, type: `object, as \`${name}\` above` }
      : inner(components[name], name)
    return { ...shape, description: schema.description ?? shape.description }
  }
  const facts = {
    description: schema.description as string | undefined,
    notes: notesOf(schema),
    values: valuesOf(schema),
  }
  const forms: Schema[] | undefined = schema.oneOf ?? schema.anyOf
  if (forms) return merged(oneOf(forms, inner), facts)
  if (schema.allOf) return merged(allOf(schema.allOf.map((part: Schema) => inner(part))), facts)
  return merged(ofType(schema, inner), facts)
}

type Inner = (part: Schema, name?: string) => Shape

const merged = (shape: Shape, own: Pick<Shape, 'description' | 'notes' | 'values'>): Shape => ({
  ...shape,
  description: own.description ?? shape.description,
  notes: [...own.notes, ...shape.notes],
  values: [...own.values, ...shape.values],
})

/** Scalars become one type such as `string or number`. Objects become alternatives. */
function oneOf(forms: readonly Schema[], inner: Inner): Shape {
  const real = forms.filter((form) => form.type !== 'null')
  const orNull = real.length < forms.length ? ' or null' : ''
  const shapes = real.map((form) => inner(form))
  const [only] = shapes
  if (only && shapes.length === 1) return { ...only, type: only.type + orNull }
  const type = [...new Set(shapes.map((shape) => shape.type))].join(' or ') + orNull
  if (shapes.every(({ fields, choices }) => fields.length === 0 && choices.length === 0))
    return { ...nothing, type, values: shapes.flatMap(({ values }) => values) }
  const choices = shapes.map((shape, i) => ({ ...shape, title: titleOf(shape, i) }))
  return { ...nothing, type, choices }
}

/**
 * Returns the name of an alternative. The name consists of the fields with one allowed value, for example `type:
 * "user"`.
 */
function titleOf({ fields, type }: Shape, at: number): string {
  const fixed = fields.filter(({ values }) => values.length === 1).map(({ name, values }) => `${name}: ${values[0]}`)
  const told = fields.filter(({ required }) => required).map(({ name }) => name)
  return fixed[0] ?? (told.length > 0 ? `with ${told.join(', ')}` : `${type}, form ${at + 1}`)
}

const allOf = (shapes: readonly Shape[]): Shape => ({
  ...nothing,
  type: 'object',
  fields: shapes.flatMap(({ fields }) => fields),
  choices: shapes.flatMap(({ choices }) => choices),
})

function ofType(schema: Schema, inner: Inner): Shape {
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? typeOfValues(schema))
  if (type === 'array') {
    const item = inner(schema.items ?? {})
    return {
      ...item,
      type: `array of ${item.type === 'any value' ? 'values' : plural(item.type)}`,
      description: undefined,
    }
  }
  if (type !== 'object') return { ...nothing, type }
  const required = new Set<string>(schema.required ?? [])
  const fields = Object.entries<Schema>(schema.properties ?? {}).map(([name, part]) => ({
    ...inner(part),
    name,
    required: required.has(name),
  }))
  const others = schema.additionalProperties
  const any =
    typeof others === 'object' && others !== null ? [{ ...inner(others), name: 'any name', required: false }] : []
  return { ...nothing, type, fields: [...fields, ...any] }
}

const plural = (type: string) => type.replace(/^(\w+)/, (word) => (word.endsWith('s') ? word : `${word}s`))

const typeOfValues = ({ const: fixed, enum: values = [] }: Schema): string => {
  const [first = fixed] = values
  return first === undefined ? 'any value' : typeof first
}

const valuesOf = ({ const: fixed, enum: values }: Schema): string[] =>
  (values ?? (fixed === undefined ? [] : [fixed])).map((value: unknown) => JSON.stringify(value))

/** True if a limit is worth showing. False for limits that apply to every integer. */
const isBound = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER

function notesOf(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, format, pattern } = schema
  const notes: string[] = []
  const range = (least: unknown, most: unknown, unit: string) => {
    if (isBound(least) && isBound(most)) notes.push(least === most ? `${least}${unit}` : `${least} to ${most}${unit}`)
    else if (isBound(least) && !(least === 0 && unit)) notes.push(`at least ${least}${unit}`)
    else if (isBound(most)) notes.push(`at most ${most}${unit}`)
  }
  if (format) notes.push(format)
  range(minimum, maximum, '')
  if (isBound(exclusiveMinimum)) notes.push(`above ${exclusiveMinimum}`)
  range(minLength, maxLength, ' characters')
  range(minItems, maxItems, ' items')
  if (pattern && !format && pattern.length <= longestPattern) notes.push(`matches \`${pattern}\``)
  if (schema.default !== undefined) notes.push(`default \`${JSON.stringify(schema.default)}\``)
  return notes
}
