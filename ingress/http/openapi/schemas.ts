import { z } from 'zod'

export type Json = Record<string, unknown>

/** Converts zod schemas to JSON Schema. Schemas with `.meta({ id })` become components with references. */
export interface Components {
  schemas: Record<string, unknown>
  input(schema: z.ZodType): Json
  /** Converts the schema of a response. Objects allow additional fields, because later versions can add some. */
  output(schema: z.ZodType): Json
}

export function createComponents(): Components {
  const schemas: Record<string, unknown> = {}

  function convert(schema: z.ZodType, io: 'input' | 'output'): Json {
    // The schema is wrapped in an array. Only inner schemas with an ID become components.
    const made = z.toJSONSchema(z.array(schema), {
      io,
      unrepresentable: 'any',
      override({ jsonSchema }) {
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
        markSecret(jsonSchema)
      },
    })
    const renamed = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'))
    for (const [id, definition] of Object.entries(made.$defs ?? {})) {
      const { id: _, ...rest } = definition as Json
      schemas[id] = renamed(rest)
    }
    return renamed(made.items ?? {})
  }

  return { schemas, input: (schema) => convert(schema, 'input'), output: (schema) => convert(schema, 'output') }
}

/** Replaces the marks of secrets in a JSON Schema with `x-secret`. */
export function markSecret(schema: Json): void {
  if (schema.secret === true) schema['x-secret'] = true
  delete schema.secret
  delete schema.secretIf
}
