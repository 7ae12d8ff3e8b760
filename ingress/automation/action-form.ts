import type { Action } from '#sql/automation/actions.ts'
import { toNewJob } from '../jobs/job-fields.ts'
import type { ActionForm } from './fields.ts'

interface StoredAction {
  action: Action
  /** Headers of a job. Undefined if the form has none. */
  headers: Readonly<Record<string, string>> | undefined
}

/** Converts the form of an action to its stored form, with the headers of a job apart. */
export function toAction(form: ActionForm, ruleName: string): StoredAction {
  if (form.type === 'template') return { action: form, headers: undefined }
  if (form.type === 'workflow') {
    // Braces of a name are not placeholders.
    const title = form.title ?? ruleName.replaceAll(/[{}]/g, '')
    return { action: { ...form, title }, headers: undefined }
  }
  const { headers, retries: _, ...fields } = form
  const { retries } = toNewJob(form)
  const action = { ...fields, ...(retries && { retries }), header_names: Object.keys(headers ?? {}) }
  return { action, headers }
}
