import type { DocumentCheck } from '#sql/identity/readings.ts'
import { type Html, html } from '../http/console/html.ts'
import type { documentOf } from './document.ts'
import { checkWords, unreadWords } from './reading-words.ts'

type Shown = NonNullable<Awaited<ReturnType<typeof documentOf>>>

/** What was read on a document, beside its picture: facts, which checks hold, and that it is no decision. */
export function documentView(shown: Shown | null): Html {
  if (shown === null) return html`<p class="quiet">Nothing is read on this file by machine.</p>`
  if (shown.status === 'waiting') return html`<p class="quiet">It is being read; come back in a moment.</p>`
  const { facts, reason } = shown
  if (reason !== null || facts === null || facts === undefined)
    return html`<p><strong>Not read.</strong> ${reason && unreadWords[reason]} The decision is yours alone.</p>`
  const rows: [string, Html | string | number | null | undefined][] = [
    ['Document', `${facts.kind} (${facts.format})`],
    ['Surname', facts.surname],
    ['Given names', facts.given_names],
    ['Number', html`<span class="id">${facts.document_number}</span>`],
    ['Issued by', facts.issuing_state],
    ['Nationality', facts.nationality],
    ['Born', facts.birth_date && `${facts.birth_date}, ${shown.age} years old`],
    ['Sex', facts.sex],
    ['Ends', endOf(shown)],
  ]
  return html`${warnings(shown)}<dl class="facts">${rows.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value ?? html`<span class="quiet">not said</span>`}</dd></div>`,
  )}</dl>
<h3>Checks of the lines</h3><ul>${shown.checks.map(checkLine)}</ul>
<p class="quiet">That lines are sound says that they were read right. It does not say that the document is genuine, nor whose it is.</p>`
}

const endOf = ({ facts, expired }: Shown): Html | null =>
  facts?.expiry_date ? html`${facts.expiry_date}${expired && html` <span class="bad">has ended</span>`}` : null

const checkLine = ({ check, passed }: DocumentCheck): Html =>
  html`<li><span class="${passed ? 'good' : 'bad'}">${passed ? 'holds' : 'does not hold'}</span>: ${checkWords[check]}</li>`

/** What somebody who decides must not overlook. */
function warnings({ sound, expired, shared_with }: Shown): Html {
  const words = [
    !sound && 'Not all checks of the lines hold: compare them with the picture.',
    expired && 'The document has ended.',
    shared_with.length > 0 &&
      `The same document was handed in by ${shared_with.length === 1 ? 'another subject' : `${shared_with.length} other subjects`}: ${shared_with.map((one) => one || 'the organisation').join(', ')}.`,
  ].filter((one) => typeof one === 'string')
  return html`${words.map((one) => html`<p class="fault">${one}</p>`)}`
}
