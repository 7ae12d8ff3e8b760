import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { findAny } from '#sql/identity/checks.ts'
import { findRequirement } from '#tasks/identity/rules/catalogue.ts'
import { type Decision, decide } from '#tasks/identity/rules/decide.ts'
import { RejectionReason } from '#tasks/identity/rules/rejection.ts'
import { html } from '../../http/html/html.ts'
import { type Action, type ActionFields, read } from '../action.ts'

const OfCheck = z.object({ check: Id, object: Id })

const fields = html`<div class="fields">
<div><label for="code">Reason</label><select id="code" name="code">${RejectionReason.shape.code.options.map(
  (code) => html`<option value="${code}">${code.replaceAll('_', ' ')}</option>`,
)}</select></div>
<div class="wide"><label for="reason">Explanation for the person</label>
<input id="reason" name="reason" required maxlength="500" autocomplete="off"></div></div>`

const action = (status: Decision['status'], decisionOf: (given: ActionFields) => Decision): Action => ({
  async question(db, given) {
    const check = await findAny(db, read(OfCheck, given).check)
    if (check === null) throw notFound('check')
    const title = findRequirement(check.requirement)?.title ?? check.requirement
    const about = html`${title}, <code>${check.filename ?? 'no file'}</code>, subject <code>${check.subject || 'the organisation'}</code>.`
    return status === 'verified'
      ? { title: 'Verify this document?', text: about, button: 'Verify document' }
      : {
          title: 'Reject this document?',
          text: html`${about} The person can then submit another document.`,
          button: 'Reject document',
          fields,
        }
  },
  async perform(db, given, { actor }) {
    const { check, object } = read(OfCheck, given)
    const decided = await decide(db, { checkId: check, objectId: object }, decisionOf(given), actor)
    if (decided === null) throw notFound('check')
    return `Check ${check}: ${decided.message}`
  },
})

export const identityActions: Readonly<Record<string, Action>> = {
  'verify-identity': action('verified', () => ({ status: 'verified' })),
  'reject-identity': action('rejected', (given) => ({ status: 'rejected', ...read(RejectionReason, given) })),
}
