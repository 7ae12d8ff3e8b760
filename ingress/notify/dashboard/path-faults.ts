import { badRequest, type Fault, Problem } from '#lib/errors.ts'

/** Rethrows the faults of a path’s parameter as faults of the form’s field with the same name. */
export function faultAtField(error: unknown): never {
  if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
  throw badRequest(
    (error.details as Fault[]).map(({ field, issue }) => ({ field: field.replace(/^path\./, 'form.'), issue })),
  )
}
