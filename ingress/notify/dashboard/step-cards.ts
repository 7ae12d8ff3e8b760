import { maxSteps, type Step } from '#sql/notify/workflow-steps.ts'
import type * as workflows from '#sql/notify/workflows.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type Content, type Html, html, queryString } from '../../http/html/html.ts'
import { actionButton, tokenField } from '../../http/html/parts.ts'
import { seenOf } from './draft.ts'
import { textPath, workflowPath } from './section.ts'
import { kindHints, kindOf, kindTitles, stepIcon, stepKinds } from './step-icons.ts'
import { describeConditions, describeStep } from './step-words.ts'

/** Renders a card of a flow. `more` follows the description, and `end` is at the right. */
export const flowCard = (
  step: Step,
  number: number,
  { more, end, state }: { more?: Content; end?: Content; state?: string } = {},
): Html =>
  html`<li class="flow-card"${state && html` data-state="${state}"`} data-key="step-${number}">${stepIcon(kindOf(step))}<div class="flow-what"><h3>${number + 1}. ${kindTitles[kindOf(step)]}</h3>
<p>${describeStep(step)}</p>${describeConditions(step)}${more}</div>${end && html`<div class="flow-end">${end}</div>`}</li>`

/** Renders the card of the event that starts a flow. */
export const triggerCard = ({ product_key, type }: Pick<workflows.Workflow, 'product_key' | 'type'>, end?: Content) =>
  html`<li class="flow-card">${stepIcon('event')}<div class="flow-what"><h3>Event</h3><p><code>${type}</code> of the product <code>${product_key}</code></p></div>${end && html`<div class="flow-end">${end}</div>`}</li>`

/** Renders steps that nobody can change here. */
export const readOnlyFlow = (trigger: Pick<workflows.Workflow, 'product_key' | 'type'>, steps: readonly Step[]): Html =>
  html`<ol class="flow">${triggerCard(trigger)}${steps.map((step, i) => flowCard(step, i))}</ol>`

/** Renders the draft with its controls: add, edit, move and remove. */
export function draftFlow(member: Member, workflow: workflows.Workflow, texts: TextLocales): Html {
  const { key, steps } = workflow
  const isFull = steps.length >= maxSteps
  const edit = html`<a class="button" href="${workflowPath(key)}/edit">Edit<span class="unseen"> event</span></a>`
  return html`<ol class="flow">${triggerCard(workflow, edit)}${steps.map((step, i) => [
    !isFull && addMenu(key, i, `before step ${i + 1}`),
    flowCard(step, i, { end: controls(member, workflow, i), more: textLinks(step, workflow.type, texts) }),
  ])}${isFull ? html`<li class="flow-add"><p class="quiet">A workflow can have up to ${maxSteps} steps.</p></li>` : addMenu(key, steps.length, 'at the end', true)}</ol>`
}

/** Languages that have a text, by event type. */
export type TextLocales = ReadonlyMap<string, readonly string[]>

function textLinks(step: Step, eventType: string, texts: TextLocales): Html | false {
  if (step.type !== 'channel') return false
  const type = step.text ?? eventType
  const locales = texts.get(type) ?? []
  const write = html`<a href="/app/notify/texts/new${queryString({ type })}">${locales.length === 0 ? 'Write a text' : 'Add a language'}</a>`
  return locales.length === 0
    ? html`<p class="quiet">No text yet. The message has the title and body of the event. ${write}</p>`
    : html`<p><span class="quiet">Languages:</span> ${locales.map((locale, i) => html`${i > 0 && ', '}<a href="${textPath(type, locale)}">${locale}</a>`)} <span class="quiet">·</span> ${write}</p>`
}

function controls(member: Member, workflow: workflows.Workflow, i: number): Html {
  const path = `${workflowPath(workflow.key)}/steps/${i}`
  const fields = { seen: seenOf(workflow) }
  const of = `step ${i + 1}`
  const move = (action: string, sign: string, words: string) =>
    html`<form class="inline" method="post" action="${path}/${action}">${tokenField(member)}<input type="hidden" name="seen" value="${fields.seen}"><button title="${words}"><span aria-hidden="true">${sign}</span><span class="unseen">${words} ${of}</span></button></form>`
  return html`<div class="actions"><a class="button" href="${path}">Edit<span class="unseen"> ${of}</span></a>${i > 0 && move('up', '↑', 'Move up')}${i < workflow.steps.length - 1 && move('down', '↓', 'Move down')}${actionButton(member, `${path}/remove`, 'Remove', { of, grave: true, fields })}</div>`
}

const addMenu = (key: string, at: number, where: string, isLast = false): Html =>
  html`<li class="flow-add"><details${isLast && html` class="last"`}><summary><span aria-hidden="true">+</span> <span${!isLast && html` class="unseen"`}>Add a step</span><span class="unseen"> ${where}</span></summary>
<ul class="kinds">${stepKinds
    .filter((kind) => kind !== 'digest' || at === 0)
    .map(
      (kind) =>
        html`<li><a href="${workflowPath(key)}/add/${kind}?at=${at}">${stepIcon(kind)}<span><strong>${kindTitles[kind]}</strong> <span class="quiet">${kindHints[kind]}</span></span></a></li>`,
    )}</ul></details></li>`
