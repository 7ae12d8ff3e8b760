import { badRequest, type Fault } from '#lib/errors.ts'
import { checkText } from '../request/json.ts'

/** Parses a form, `application/x-www-form-urlencoded`. Throws 400 for text that Postgres cannot store. */
export function formFields(text: string): Record<string, string> {
  const fields = Object.fromEntries(new URLSearchParams(text))
  const faults: Fault[] = []
  checkText(fields, 'form', faults)
  if (faults.length > 0) throw badRequest(faults)
  return fields
}
