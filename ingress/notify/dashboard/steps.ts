import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { everything } from '#sql/filters.ts'
import * as texts from '#sql/notify/texts.ts'
import type { Step } from '#sql/notify/workflow-steps.ts'
import { action, formPage, type PageCall } from '../../http/dashboard/page.ts'
import type { FormState } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { WorkflowKey } from '../fields.ts'
import { changeDraft, findWorkflow, inSentences, insertStep, namedFaults, seenField } from './draft.ts'
import { section, workflowPath } from './section.ts'
import { fieldNamer, StepFields, stepInputs, toStep, valuesOf } from './step-form.ts'
import { kindHints, kindOf, kindTitles, type StepKind, stepIcon, stepKinds } from './step-icons.ts'
import { listTemplates } from './template-field.ts'

const StepNumber = z.string().regex(/^\d{1,2}$/)

type Call = Pick<PageCall<unknown, unknown>, 'db' | 'member'>

/** Returns the event types that have a text, for suggestions. */
async function listTextTypes({ db, member }: Call): Promise<string[]> {
  const found = await texts.list(db, member.orgId, { where: everything, before: undefined, limit: 100 })
  return [...new Set(found.map(({ type }) => type))].sort()
}

async function stepForm(
  call: Call & { filled: FormState; fault: string | undefined },
  key: string,
  { kind, title, button, at }: { kind: StepKind; title: string; button: string; at?: number },
) {
  const workflow = await findWorkflow(call, key)
  const { filled, fault, member } = call
  const seen = filled.given.seen
  const main = html`${parentLink(workflow.name, workflowPath(key))}<h1>${title}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}${seen === undefined ? seenField(workflow) : html`<input type="hidden" name="seen" value="${String(seen)}">`}${at !== undefined && html`<input type="hidden" name="at" value="${at}">`}
<p class="kind">${stepIcon(kind)}<span><strong>${kindTitles[kind]}</strong> <span class="quiet">${kindHints[kind]}</span></span></p>
${stepInputs(kind, filled, { type: workflow.type, types: await listTextTypes(call), templates: kind === 'email' ? await listTemplates(call.db, member.orgId, 'email') : [] })}
<p class="actions"><button>${button}</button> <a class="button plain" href="${workflowPath(key)}">Cancel</a></p></form>`
  return { title, main }
}

export const { show: askForStep, submit: addStep } = formPage({
  path: '/notify/workflows/{key}/add/{kind}',
  summary: 'Add a step to a workflow',
  section,
  permission: 'areas:write',
  params: z.object({ key: WorkflowKey, kind: z.enum(stepKinds) }),
  query: z.object({ at: StepNumber.optional() }),
  fields: StepFields,
  async view(call) {
    const { key, kind } = call.params
    const given = Number(call.filled.given.at ?? call.query.at ?? 99)
    return await stepForm(call, key, { kind, title: 'Add a step', button: 'Add step', at: given })
  },
  async submit(call) {
    const { given, params } = call
    const stored = await findWorkflow(call, params.key)
    const at = Math.min(StepNumber.safeParse(given.at).success ? Number(given.at) : 99, stored.steps.length)
    const step = toStep(params.kind, given)
    await changeDraft(call, params.key, given.seen, ({ steps }) => ({ steps: insertStep(steps, at, step) })).catch(
      (error: unknown) => {
        throw namedFaults(error, at, fieldNamer(given))
      },
    )
    return { to: workflowPath(params.key), told: 'Step added to the draft.' }
  },
})

const params = z.object({ key: WorkflowKey, number: StepNumber })

async function findStep(call: Call, { key, number }: z.output<typeof params>): Promise<Step> {
  const step = (await findWorkflow(call, key)).steps[Number(number)]
  if (!step) throw notFound('step')
  return step
}

export const { show: askForChange, submit: changeStep } = formPage({
  path: '/notify/workflows/{key}/steps/{number}',
  summary: 'Edit a step of a workflow',
  section,
  permission: 'areas:write',
  params,
  fields: StepFields,
  async view(call) {
    const step = await findStep(call, call.params)
    const isFirst = Object.keys(call.filled.given).length === 0
    const filled = isFirst ? { ...call.filled, given: valuesOf(step) } : call.filled
    const title = `Edit step ${Number(call.params.number) + 1}`
    return await stepForm({ ...call, filled }, call.params.key, { kind: kindOf(step), title, button: 'Save' })
  },
  async submit(call) {
    const { given, params: at } = call
    const number = Number(at.number)
    const step = toStep(kindOf(await findStep(call, at)), given)
    await changeDraft(call, at.key, given.seen, ({ steps }) => ({
      steps: steps.map((one, i) => (i === number ? step : one)),
    })).catch((error: unknown) => {
      throw namedFaults(error, number, fieldNamer(given))
    })
    return { to: workflowPath(at.key), told: 'Step saved in the draft.' }
  },
})

const stepAction = (
  word: string,
  summary: string,
  told: string,
  change: (steps: readonly Step[], number: number) => readonly Step[],
) =>
  action({
    path: `/notify/workflows/{key}/steps/{number}/${word}`,
    summary,
    permission: 'areas:write',
    params,
    fields: z.object({ seen: z.string().optional() }),
    back: ({ key }) => workflowPath(key),
    async perform(call) {
      const { key, number } = call.params
      await findStep(call, call.params)
      await changeDraft(call, key, call.given.seen, ({ steps }) => ({ steps: change(steps, Number(number)) })).catch(
        inSentences,
      )
      return { to: workflowPath(key), told }
    },
  })

/** Exchanges a step and the next one. */
function exchange(steps: readonly Step[], first: number): readonly Step[] {
  const [a, b] = [steps[first], steps[first + 1]]
  return a && b ? [...steps.slice(0, first), b, a, ...steps.slice(first + 2)] : steps
}

export const moveUp = stepAction('up', 'Move a step up', 'Step moved.', (steps, i) => exchange(steps, i - 1))

export const moveDown = stepAction('down', 'Move a step down', 'Step moved.', (steps, i) => exchange(steps, i))

export const removeStep = stepAction('remove', 'Remove a step', 'Step removed from the draft.', (steps, i) =>
  steps.filter((_, n) => n !== i),
)
