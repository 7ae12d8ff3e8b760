import { type Fault, Problem } from '#lib/errors.ts'

/** Names of the form for fields of an action. */
const names: Readonly<Record<string, string>> = { 'workflow.body': 'text', 'workflow.url': 'link' }

/** Moves faults of the API to the fields of the form: `body.action.to`, or `body.conditions.0.path`. */
export async function atFields<T>(work: Promise<T>, type: string, rows: readonly number[]): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    const details = (error.details as Fault[]).map(({ field, issue }) => ({
      field: `body.${place(field, type, rows)}`,
      issue,
    }))
    throw new Problem(error.status, error.code, error.message, { details })
  }
}

function place(field: string, type: string, rows: readonly number[]): string {
  const [, first = '', second = '', third = 'path'] = field.split('.')
  if (first === 'conditions' && second !== '') return `${third}_${rows[Number(second)]}`
  if (first === 'action' && second !== '') return names[`${type}.${second}`] ?? second
  return first
}
