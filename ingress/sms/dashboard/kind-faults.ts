import { type Fault, Problem } from '#lib/errors.ts'

/** Moves faults of the part for a kind, such as `body.twilio.auth_token`, to the fields of the form. */
export async function atFields<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    const details = (error.details as Fault[]).map(({ field, issue }) => ({
      field: field.replace(/^body\.(twilio|vonage|http)\./, 'body.'),
      issue,
    }))
    throw new Problem(error.status, error.code, error.message, { details })
  }
}
