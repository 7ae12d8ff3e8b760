import type { Action } from '#sql/automation/actions.ts'
import type { ActionKind } from '../outcome.ts'
import { jobKind } from './job.ts'
import { templateKind } from './template.ts'
import { workflowKind } from './workflow.ts'

// biome-ignore lint/suspicious/noExplicitAny: each kind has its own request.
type AnyKind = ActionKind<any, any, any>

/** Every kind of action by its type. */
export const actionKinds: Readonly<Record<Action['type'], AnyKind>> = {
  workflow: workflowKind,
  job: jobKind,
  template: templateKind,
}
