import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { checkJsonSchema } from '#lib/json-schema/check.ts'

/** Maximum size of a payload, and of a schema, as JSON in bytes. */
const [maxPayload, maxSchema] = [262_144, 65_536]

/** Returns the path of a number that JavaScript cannot represent exactly. */
function findInexact(value: unknown, path = ''): string | undefined {
  if (typeof value === 'number')
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const found = findInexact(inner, path === '' ? name : `${path}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Schema of a payload: an object of up to 256 KiB that is delivered unchanged. */
export const Payload = z.record(z.string(), z.unknown()).superRefine((payload, context) => {
  if (sizeOf(payload) > maxPayload) context.addIssue({ code: 'custom', message: 'must be at most 256 KiB as JSON' })
  const path = findInexact(payload)
  if (path !== undefined)
    context.addIssue({
      code: 'custom',
      message: `must contain only exact numbers. Send ${path.slice(0, 100)} as a text.`,
    })
})

export const Schema = z
  .record(z.string(), z.unknown())
  .refine((schema) => sizeOf(schema) <= maxSchema, 'must be at most 64 KiB as JSON')
  .describe('JSON Schema (draft 2020-12) of the payload, without references to other documents')

/** Throws 400 if a schema is invalid, or the example does not match it. */
export async function demandSchema(
  orgId: string,
  { schema, example }: { schema: object | null; example: object | null },
): Promise<void> {
  if (!schema) return
  const { schemaFault, faults } = await checkJsonSchema(orgId, schema, example)
  if (schemaFault !== null) throw badRequest([{ field: 'body.schema', issue: `is not a valid schema: ${schemaFault}` }])
  demandNone(faults, 'body.example')
}

/** Throws 400 if a payload does not match the schema of its event type. */
export async function demandMatch(
  orgId: string,
  { schema }: { schema: object | null },
  payload: object,
): Promise<void> {
  if (!schema) return
  const { schemaFault, faults } = await checkJsonSchema(orgId, schema, payload)
  if (schemaFault !== null)
    throw badRequest([{ field: 'body.event_type', issue: `has a schema that cannot be used: ${schemaFault}` }])
  demandNone(faults, 'body.payload')
}

function demandNone(faults: readonly Fault[], place: string): void {
  if (faults.length === 0) return
  throw badRequest(faults.map(({ field, issue }) => ({ field: field === '' ? place : `${place}.${field}`, issue })))
}
