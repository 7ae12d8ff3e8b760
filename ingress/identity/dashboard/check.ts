import { z } from 'zod'
import { conflict, notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as checks from '#sql/identity/checks.ts'
import * as faceChecks from '#sql/identity/face-checks.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { findRequirement } from '#tasks/identity/rules/catalogue.ts'
import { type Decision, decideAsMember } from '#tasks/identity/rules/decide.ts'
import { RejectionReason } from '#tasks/identity/rules/rejection.ts'
import { getRequirementStatus } from '#tasks/identity/rules/standing.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type FormState, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { PageOrigins } from '../../http/html/layout.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { storage } from '../../http/services.ts'
import { loadDocument } from '../document.ts'
import { documentView } from '../document-view.ts'
import { faceView } from '../face-view.ts'
import { requirementTitle, section } from './checks.ts'

const params = z.object({ id: pathId('check') })

const pictureSeconds = 60

async function mustBeTheirs(db: DatabasePool, { orgId }: Member, id: string): Promise<checks.ScannedCheck> {
  const found = await mustFind(checks.findAny(db, id), 'check')
  if (found.org_id !== orgId) throw notFound('check')
  return found
}

export const read = page({
  path: '/identity/{id}',
  summary: 'Show a submitted document and its data',
  section,
  permission: 'contents:read',
  params,
  async view({ db, doer, member, may, services, params: { id } }) {
    const check = await mustBeTheirs(db, member, id)
    const store = services(storage)
    const object = check.object_id === null ? null : await objects.find(db, { orgId: member.orgId }, check.object_id)
    const seen = object?.scan_status === 'clean' && object.held_key !== null ? object : null
    if (seen) await recordContentsRead(db, doer, { kind: 'file', id: seen.id })
    const address =
      seen?.held_key &&
      (await store.signSave(seen.held_key, pictureSeconds, {
        filename: seen.filename,
        type: seen.sniffed_type ?? 'application/octet-stream',
      }))
    const isFace = findRequirement(check.requirement)?.type === 'face'
    const { status, error } = getRequirementStatus(check)
    const decides = may('areas:write') && seen !== null && check.status === 'submitted'
    const main = html`${parentLink('Identity', section.path)}<div class="title"><h1>${requirementTitle(check.requirement)}</h1></div>
<p class="lead">Subject: ${check.subject || 'the organisation'}. Status: ${status}${error && html`, ${error.reason}`}</p>
<div class="columns"><section><h2>Image</h2>${pictureOf(seen, address)}</section>
<section><h2>Data read from the document</h2>${documentView(await loadDocument(db, check))}</section></div>
${isFace && html`<section><h2>Face</h2>${faceView(check.object_id === null ? null : await faceChecks.findForObject(db, member.orgId, check.object_id))}</section>`}
${decides && html`<p class="actions spaced"><a class="button primary" href="${section.path}/${id}/verify">Verify document</a> <a class="button" href="${section.path}/${id}/reject">Reject document</a></p>`}`
    const reaches: PageOrigins = { pictures: [store.publicOrigin] }
    return { title: requirementTitle(check.requirement), main, reaches }
  },
})

function pictureOf(seen: objects.FileObject | null, address: string | null | undefined): Html {
  if (!seen || !address)
    return html`<p class="quiet">No image is available, or the malware scan has quarantined it.</p>`
  const link = html`<p><a href="${address}">Download ${seen.filename}</a></p>`
  return seen.sniffed_type?.startsWith('image/')
    ? html`<img class="poster" src="${address}" alt="Submitted image">${link}`
    : link
}

const Seen = z.object({ object: Id })

async function asked(
  db: DatabasePool,
  member: Member,
  id: string,
  filled: FormState,
): Promise<{ words: Html; hidden: Html }> {
  const check = await mustBeTheirs(db, member, id)
  const object = String(filled.given.object ?? check.object_id ?? '')
  return {
    words: html`${requirementTitle(check.requirement)} of <strong>${check.subject || 'the organisation'}</strong>.`,
    hidden: html`${tokenField(member)}<input type="hidden" name="object" value="${object}">`,
  }
}

async function settle(
  {
    db,
    doer,
    id,
    object,
  }: { db: DatabasePool; doer: Parameters<typeof decideAsMember>[3]; id: string; object: string },
  decision: Decision,
) {
  const decided = await decideAsMember(db, { checkId: id, objectId: object }, decision, doer)
  if (decided === null) throw notFound('check')
  if (!decided.changed) throw conflict(decided.message)
  return { to: section.path, told: decided.message }
}

export const { show: askToVerify, submit: verify } = formPage({
  path: '/identity/{id}/verify',
  summary: 'Verify a document',
  section,
  permission: 'areas:write',
  params,
  fields: Seen,
  async view({ db, member, params: { id }, filled, fault }) {
    const { words, hidden } = await asked(db, member, id, filled)
    const main = html`${parentLink('Document', `${section.path}/${id}`)}<h1>Verify this document?</h1>${renderFault(fault)}
<form class="form" method="post">${hidden}<p>${words} First compare the data with the image.</p>
<p class="actions"><button class="primary">Verify document</button> <a class="button plain" href="${section.path}/${id}">Cancel</a></p></form>`
    return { title: 'Verify document', main }
  },
  submit: ({ db, doer, params: { id }, given: { object } }) => settle({ db, doer, id, object }, { status: 'verified' }),
})

export const { show: askToReject, submit: reject } = formPage({
  path: '/identity/{id}/reject',
  summary: 'Reject a document',
  section,
  permission: 'areas:write',
  params,
  fields: Seen.extend(RejectionReason.shape),
  async view({ db, member, params: { id }, filled, fault }) {
    const { words, hidden } = await asked(db, member, id, filled)
    const codes = RejectionReason.shape.code.options.map((code) => [code, code.replaceAll('_', ' ')] as const)
    const main = html`${parentLink('Document', `${section.path}/${id}`)}<h1>Reject this document?</h1>${renderFault(fault)}
<form class="form" method="post">${hidden}<p>${words} The person can then submit another document.</p>
${selectField(filled, { name: 'code', label: 'Reason', options: codes })}
${textField(filled, { name: 'reason', label: 'Explanation for the person', required: true })}
<p class="actions"><button class="grave">Reject document</button> <a class="button plain" href="${section.path}/${id}">Cancel</a></p></form>`
    return { title: 'Reject document', main }
  },
  submit: ({ db, doer, params: { id }, given: { object, code, reason } }) =>
    settle({ db, doer, id, object }, { status: 'rejected', code, reason }),
})
