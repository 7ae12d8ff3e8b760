import { countSteps, type FlatStep, flattenSteps } from '#sql/notify/flat-steps.ts'
import { maxSteps, type Step } from '#sql/notify/workflow-steps.ts'
import type * as workflows from '#sql/notify/workflows.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type Content, type Html, html, queryString } from '../../http/html/html.ts'
import { actionButton, tokenField } from '../../http/html/parts.ts'
import { seenOf } from './draft.ts'
import { textPath, workflowPath } from './section.ts'
import { kindHints, kindOf, kindTitles, stepIcon, stepKinds } from './step-icons.ts'
import { describePath } from './step-paths.ts'
import { describeConditions, describeStep } from './step-words.ts'

interface CardParts {
  more?: Content
  end?: Content
  state?: string
}

/** Renders a card of a flow. `more` follows the description, and `end` is at the right. */
export const flowCard = ({ step, depth }: FlatStep, number: number, { more, end, state }: CardParts = {}): Html =>
  html`<li class="flow-card"${depth > 0 && html` data-depth="${depth}"`}${state && html` data-state="${state}"`} data-key="step-${number}">${stepIcon(kindOf(step))}<div class="flow-what"><h3>${number + 1}. ${kindTitles[kindOf(step)]}</h3>
<p>${describeStep(step)}</p>${describeConditions(step)}${more}</div>${end && html`<div class="flow-end">${end}</div>`}</li>`

/**
 * Renders all steps with those of branches, in order. `partsOf` completes the card of a step. `endOf` follows each list
 * of steps.
 */
export function flowCards(
  steps: readonly Step[],
  partsOf: (flat: FlatStep, number: number) => CardParts & { before?: Content },
  endOf: (path: string, depth: number) => Content = () => undefined,
): Content {
  const numberOf = new Map(flattenSteps(steps).map((flat, number) => [flat.path.join('.'), { flat, number }]))
  const list = (some: readonly Step[], prefix: string, depth: number): Content => [
    some.map((step, i) => {
      const path = `${prefix}${i}`
      const { flat, number } = numberOf.get(path) as { flat: FlatStep; number: number }
      const { before, ...parts } = partsOf(flat, number)
      const inner = step.type === 'branch' && [
        branchLabel('Then', depth + 1),
        list(step.steps, `${path}.steps.`, depth + 1),
        branchLabel('Otherwise', depth + 1),
        list(step.else ?? [], `${path}.else.`, depth + 1),
      ]
      return [before, flowCard(flat, number, parts), inner]
    }),
    endOf(`${prefix}${some.length}`, depth),
  ]
  return list(steps, '', 0)
}

const branchLabel = (words: string, depth: number): Html =>
  html`<li class="flow-label" data-depth="${depth}"><span class="quiet">${words}</span></li>`

/** Renders the card of the event that starts a flow. */
export const triggerCard = ({ product_key, type }: Pick<workflows.Workflow, 'product_key' | 'type'>, end?: Content) =>
  html`<li class="flow-card">${stepIcon('event')}<div class="flow-what"><h3>Event</h3><p><code>${type}</code> of the product <code>${product_key}</code></p></div>${end && html`<div class="flow-end">${end}</div>`}</li>`

/** Renders steps that nobody can change here. */
export const readOnlyFlow = (trigger: Pick<workflows.Workflow, 'product_key' | 'type'>, steps: readonly Step[]): Html =>
  html`<ol class="flow">${triggerCard(trigger)}${flowCards(steps, () => ({}))}</ol>`

/** Maximum depth of steps in branches. */
const maxDepth = 2

/** Renders the draft with its controls: add, edit, move and remove. */
export function draftFlow(member: Member, workflow: workflows.Workflow, texts: TextLocales): Html {
  const { key, steps } = workflow
  const isFull = countSteps(steps) >= maxSteps
  const edit = html`<a class="button" href="${workflowPath(key)}/edit">Edit<span class="unseen"> event</span></a>`
  const cards = flowCards(
    steps,
    (flat, number) => ({
      before: !isFull && addMenu(key, flat, `before step ${number + 1}`),
      end: controls(member, workflow, flat, number),
      more: textLinks(flat.step, workflow.type, texts),
    }),
    (path, depth) =>
      !isFull &&
      addMenu(
        key,
        { path: path.split('.'), depth },
        depth === 0 ? 'at the end' : `at the end of ${describePath(path)}`,
        true,
      ),
  )
  return html`<ol class="flow">${triggerCard(workflow, edit)}${cards}${isFull && html`<li class="flow-add"><p class="quiet">A workflow can have up to ${maxSteps} steps.</p></li>`}</ol>`
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

function controls(member: Member, workflow: workflows.Workflow, { path: parts }: FlatStep, number: number): Html {
  const path = `${workflowPath(workflow.key)}/steps/${parts.join('.')}`
  const fields = { seen: seenOf(workflow) }
  const of = `step ${number + 1}`
  const index = Number(parts.at(-1))
  const siblings = flattenSteps(workflow.steps).filter(
    (one) => one.path.slice(0, -1).join('.') === parts.slice(0, -1).join('.'),
  )
  const move = (action: string, sign: string, words: string) =>
    html`<form class="inline" method="post" action="${path}/${action}">${tokenField(member)}<input type="hidden" name="seen" value="${fields.seen}"><button title="${words}"><span aria-hidden="true">${sign}</span><span class="unseen">${words} ${of}</span></button></form>`
  return html`<div class="actions"><a class="button" href="${path}">Edit<span class="unseen"> ${of}</span></a>${index > 0 && move('up', '↑', 'Move up')}${index < siblings.length - 1 && move('down', '↓', 'Move down')}${actionButton(member, `${path}/remove`, 'Remove', { of, grave: true, fields })}</div>`
}

const addMenu = (key: string, { path, depth }: Pick<FlatStep, 'path' | 'depth'>, where: string, isLast = false): Html =>
  html`<li class="flow-add"${depth > 0 && html` data-depth="${depth}"`}><details${isLast && html` class="last"`}><summary><span aria-hidden="true">+</span> <span${!isLast && html` class="unseen"`}>Add a step</span><span class="unseen"> ${where}</span></summary>
<ul class="kinds">${stepKinds
    .filter((kind) => (kind !== 'digest' || path.join('.') === '0') && (kind !== 'branch' || depth < maxDepth))
    .map(
      (kind) =>
        html`<li><a href="${workflowPath(key)}/add/${kind}?at=${path.join('.')}">${stepIcon(kind)}<span><strong>${kindTitles[kind]}</strong> <span class="quiet">${kindHints[kind]}</span></span></a></li>`,
    )}</ul></details></li>`
