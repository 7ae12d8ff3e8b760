import type { DocumentCheck } from '#sql/identity/readings.ts'
import { type Html, html, quiet } from '../http/html/html.ts'
import { statusBadge } from '../http/html/marks.ts'
import type { loadDocument } from './document.ts'
import { checkNames, unreadMessages } from './reading-words.ts'

type Shown = NonNullable<Awaited<ReturnType<typeof loadDocument>>>

export function documentView(shown: Shown | null): Html {
  if (shown === null) return html`<p class="quiet">Millrace has not read any data from this file.</p>`
  if (shown.status === 'waiting')
    return html`<p class="quiet">Millrace is reading the document. Reload this page in a moment.</p>`
  const { facts, reason } = shown
  if (reason !== null || facts === null || facts === undefined)
    return html`<p><strong>Not read.</strong> ${reason && unreadMessages[reason]} Decide from the image.</p>`
  const rows: [string, Html | string | number | null | undefined][] = [
    ['Document', `${facts.kind} (${facts.format})`],
    ['Surname', facts.surname],
    ['Given names', facts.given_names],
    ['Number', html`<span class="id">${facts.document_number}</span>`],
    ['Issued by', [facts.subdivision, facts.issuing_state].filter(Boolean).join(', ')],
    ['Nationality', facts.nationality || null],
    ['Date of birth', facts.birth_date && `${facts.birth_date}, ${shown.age} years old`],
    ['Sex', facts.sex],
    ...(facts.address
      ? [['Address', Object.values(facts.address).filter(Boolean).join(', ')] as [string, string]]
      : []),
    ['Date of expiry', endOf(shown)],
  ]
  return html`${warnings(shown)}<dl class="facts">${rows.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value ?? quiet('not available')}</dd></div>`,
  )}</dl>
<h3>Checks of the data</h3><ul>${shown.checks.map(checkLine)}</ul>
<p class="quiet">If all checks pass, Millrace has read the data correctly. This does not prove that the document is genuine or who owns it. Anyone can print a barcode.</p>`
}

const endOf = ({ facts, expired }: Shown): Html | null =>
  facts?.expiry_date ? html`${facts.expiry_date}${expired && html` ${statusBadge('expired')}`}` : null

const checkLine = ({ check, passed }: DocumentCheck): Html =>
  html`<li>${statusBadge(passed ? 'passed' : 'failed')}: ${checkNames[check]}</li>`

function warnings({ sound, expired, shared_with }: Shown): Html {
  const words = [
    !sound && 'Some checks of the machine-readable lines failed. Compare the lines with the image.',
    expired && 'The document has expired.',
    shared_with.length > 0 &&
      `The same document was submitted by ${shared_with.length === 1 ? 'another subject' : `${shared_with.length} other subjects`}: ${shared_with.map((one) => one || 'the organisation').join(', ')}.`,
  ].filter((one) => typeof one === 'string')
  return html`${words.map((one) => html`<p class="fault">${one}</p>`)}`
}
