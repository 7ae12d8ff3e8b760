import { maxSteps, type Step } from '#sql/notify/workflow-steps.ts'
import type * as workflows from '#sql/notify/workflows.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { actionButton } from '../../http/html/parts.ts'
import { seenOf } from './draft.ts'
import { workflowPath } from './section.ts'
import { kindHints, kindOf, kindTitles, stepIcon, stepKinds } from './step-icons.ts'
import { describeConditions, describeStep } from './step-words.ts'

/** Renders a card of a flow. `more` follows the description, and `end` is at the right. */
export const flowCard = (
  step: Step,
  number: number,
  { more, end, style = '' }: { more?: Content; end?: Content; style?: string } = {},
): Html =>
  html`<li class="flow-card ${style}" data-key="step-${number}">${stepIcon(kindOf(step))}<div class="flow-what"><h3>${number + 1}. ${kindTitles[kindOf(step)]}</h3>
<p>${describeStep(step)}</p>${describeConditions(step)}${more}</div>${end && html`<div class="flow-end">${end}</div>`}</li>`

/** Renders the card of the event that starts a flow. */
export const triggerCard = ({ product_key, type }: Pick<workflows.Workflow, 'product_key' | 'type'>, end?: Content) =>
  html`<li class="flow-card">${stepIcon('event')}<div class="flow-what"><h3>Event</h3><p><code>${type}</code> of the product <code>${product_key}</code></p></div>${end && html`<div class="flow-end">${end}</div>`}</li>`

/** Renders steps that nobody can change here. */
export const readOnlyFlow = (trigger: Pick<workflows.Workflow, 'product_key' | 'type'>, steps: readonly Step[]): Html =>
  html`<ol class="flow">${triggerCard(trigger)}${steps.map((step, i) => flowCard(step, i))}</ol>`

/** Renders the draft with its controls: add, edit, move and remove. */
export function draftFlow(member: Member, workflow: workflows.Workflow): Html {
  const { key, steps } = workflow
  const isFull = steps.length >= maxSteps
  const edit = html`<a class="button" href="${workflowPath(key)}/edit">Edit<span class="unseen"> event</span></a>`
  return html`<ol class="flow">${triggerCard(workflow, edit)}${steps.map((step, i) => [
    !isFull && addMenu(key, i, `before step ${i + 1}`),
    flowCard(step, i, { end: controls(member, workflow, i) }),
  ])}${isFull ? html`<li class="flow-add"><p class="quiet">A workflow can have up to ${maxSteps} steps.</p></li>` : addMenu(key, steps.length, 'at the end', true)}</ol>`
}

function controls(member: Member, workflow: workflows.Workflow, i: number): Html {
  const path = `${workflowPath(workflow.key)}/steps/${i}`
  const fields = { seen: seenOf(workflow) }
  const of = `step ${i + 1}`
  const button = (action: string, words: string, grave = false) =>
    actionButton(member, `${path}/${action}`, words, { of, grave, fields })
  return html`<div class="actions"><a class="button" href="${path}">Edit<span class="unseen"> ${of}</span></a>${i > 0 && button('up', 'Move up')}${i < workflow.steps.length - 1 && button('down', 'Move down')}${button('remove', 'Remove', true)}</div>`
}

const addMenu = (key: string, at: number, where: string, isLast = false): Html =>
  html`<li class="flow-add"><details${isLast && html` class="last"`}><summary><span aria-hidden="true">+</span> <span${!isLast && html` class="unseen"`}>Add a step</span><span class="unseen"> ${where}</span></summary>
<ul class="kinds">${stepKinds
    .filter((kind) => kind !== 'digest' || at === 0)
    .map(
      (kind) =>
        html`<li><a href="${workflowPath(key)}/add/${kind}?at=${at}">${stepIcon(kind)}<span><strong>${kindTitles[kind]}</strong> <span class="quiet">${kindHints[kind]}</span></span></a></li>`,
    )}</ul></details></li>`
