import { z } from 'zod'
import { badRequest, conflict, type Fault, Problem } from '#lib/errors.ts'
import * as workflows from '#sql/notify/workflows.ts'
import type { PageCall } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { mustFind } from '../../http/must-find.ts'
import { put } from '../workflows.ts'
import { describePath } from './step-paths.ts'

type Call = Pick<PageCall<unknown, unknown>, 'db' | 'member' | 'ask'>

export const findWorkflow = async ({ db, member }: Pick<Call, 'db' | 'member'>, key: string) =>
  await mustFind(workflows.find(db, member.orgId, key), 'workflow')

/** Names the state of the draft that a form shows. The form cannot replace a newer draft. */
export const seenOf = ({ updated_at }: Pick<workflows.Workflow, 'updated_at'>): string => updated_at.toISOString()

export const seenField = (workflow: Pick<workflows.Workflow, 'updated_at'>) =>
  html`<input type="hidden" name="seen" value="${seenOf(workflow)}">`

const changed = 'Another member has changed this workflow. Open the workflow again, then repeat the change.'

type Facts = Pick<workflows.Workflow, 'name' | 'product_key' | 'type' | 'fallback_locale' | 'fallback_time_zone'>

/**
 * Replaces the draft by `change` of the stored draft. Throws 409 if the stored draft is not the one in `seen`. The API
 * checks the steps, so `change` can return any value for them.
 */
export async function changeDraft(
  call: Call,
  key: string,
  seen: string | undefined,
  change: (stored: workflows.Workflow) => { facts?: Partial<Facts>; steps?: readonly unknown[] },
): Promise<void> {
  const stored = await findWorkflow(call, key)
  if (seen !== undefined && seen !== seenOf(stored)) throw conflict(changed)
  const { name, product_key, type, fallback_locale, fallback_time_zone } = stored
  const { facts, steps = stored.steps } = change(stored)
  await call.ask(
    put,
    { params: { key }, body: { name, product_key, type, fallback_locale, fallback_time_zone, ...facts, steps } },
    z.object({}),
  )
}

/**
 * Names the faults of the step with the path `at` as fields of a form, by `nameOf`. Faults of other steps become a
 * sentence.
 */
export function namedFaults(error: unknown, at: string, nameOf: (path: string) => string | undefined): unknown {
  const given = error instanceof Problem && Array.isArray(error.details) ? (error.details as Fault[]) : []
  if (!(error instanceof Problem) || error.status !== 400 || given.length === 0) return error
  const own = `body.steps.${at}.`
  const named: Fault[] = []
  const sentences: string[] = []
  for (const { field, issue } of given) {
    const name = field.startsWith(own) ? nameOf(field.slice(own.length)) : undefined
    if (name === undefined) sentences.push(sentenceOf(field, issue))
    else named.push({ field: `form.${name}`, issue })
  }
  if (sentences.length === 0) return badRequest(named)
  const details = [...named, { field: 'form.workflow', issue: sentences[0] as string }]
  return new Problem(400, 'bad_request', sentences.join(' '), { details })
}

function sentenceOf(field: string, issue: string): string {
  const [, path, part] = /^body\.steps\.(\d+(?:\.(?:steps|else)\.\d+)*)\.?([^.]*)/.exec(field) ?? []
  if (path === undefined) return `The workflow ${issue}.`
  return `Step ${describePath(path)}${part ? `: \`${part}\`` : ''} ${issue}.`
}

/** Rethrows the faults of a change that has no form as one sentence. */
export function inSentences(error: unknown): never {
  throw namedFaults(error, '-', () => undefined)
}
