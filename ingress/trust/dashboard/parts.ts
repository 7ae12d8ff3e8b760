import type { z } from 'zod'
import { dataTable } from '../../http/html/data-table.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import type { Judgement, VerdictView } from '../judgement.ts'

type Verdict = z.output<typeof VerdictView>

const words: Readonly<Record<Verdict, string>> = {
  unknown: 'No source lists this URL. This does not mean that it is safe.',
  suspicious: 'The URL has signs of a trick. Look at the reasons before you open or publish it.',
  malicious: 'At least one source lists this URL as dangerous. Do not open or publish it.',
}

export const renderVerdict = (verdict: Verdict): Html => statusBadge(verdict)

/** Renders the result of a check: the verdict in words, its reasons and its sources. */
export function renderJudgement(found: z.output<typeof Judgement> & { policy: 'allow' | 'deny' | null }): Html {
  const { url, verdict, reasons, sources, policy, degraded } = found
  return html`<section class="result" role="status" aria-labelledby="verdict"><h2 id="verdict" class="outcome">${renderVerdict(verdict)}</h2>
<p>${words[verdict]}</p><p class="quiet break">${url}</p>
${policy && html`<p>Your list: <b>${policy}</b>.</p>`}
${reasons.length > 0 && html`<ul class="groups">${reasons.map(({ detail }) => html`<li>${detail}</li>`)}</ul>`}
${degraded && html`<p class="quiet">Some sources are missing or out of date, so this result is incomplete.</p>`}
${
  sources.length > 0 &&
  dataTable('Sources', sources, {
    Source: ['break', ({ name }) => name],
    Lists: ({ listed }) => (listed === null ? quiet('not checked') : listed ? statusBadge('listed') : 'not listed'),
    Categories: ['break', ({ categories }) => categories.join(', ') || quiet('none')],
  })
}</section>`
}
