import { z } from 'zod'

/** A JSON object of the document. */
export type Json = Record<string, unknown>

/** Turns zod schemas into JSON Schema; those named by `.meta({ id })` are collected and referred to. */
export interface Components {
  schemas: Record<string, unknown>
  /** What clients send. */
  input(schema: z.ZodType): Json
  /** What clients get; it may gain fields, so none of its objects is closed. */
  output(schema: z.ZodType): Json
}

/** Starts an empty collection. */
export function createComponents(): Components {
  const schemas: Record<string, unknown> = {}

  function convert(schema: z.ZodType, io: 'input' | 'output'): Json {
    // In an array the schema itself is an inner one, so that its own id makes it a component, too.
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

/** Says of a secret what `secret` of `lib/secret-fields.ts` marks, as an extension that tools pass over. */
function markSecret(schema: Json): void {
  if (schema.secret === true) schema['x-secret'] = true
  delete schema.secret
}
