import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as scans from '#sql/files/bucket-scans.ts'
import * as rows from '#sql/files/buckets.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, repeatedField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, copyable, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { request as requestScan } from '../bucket-scans.ts'
import { remove, test, update } from '../buckets.ts'
import { credentialFields, tagField } from './buckets.ts'
import { bucketsPath, section } from './section.ts'

const params = z.object({ bucket_id: pathId('bucket') })

const place = (id: string): string => `${bucketsPath}/${id}`

const read = (db: Db, orgId: string, id: string) => mustFind(rows.find(db, orgId, id), 'bucket')

/** Number of scans on the page of a bucket. */
const shownScans = 30

export const one = page({
  path: '/files/buckets/{bucket_id}',
  summary: 'Show a bucket and its scans',
  section,
  params,
  async view({ db, member, may, region, services, params: { bucket_id: id } }) {
    const found = await read(db, member.orgId, id)
    const write = may('areas:write')
    const buttons =
      write &&
      html`<div class="actions">${actionButton(member, `${place(id)}/test`, 'Test')}<a class="button" href="${place(id)}/scan">Scan an object</a><a class="button" href="${place(id)}/edit">Edit</a></div>`
    const body = { bucket_id: id, key: 'inbox/invoice.pdf' }
    const main = html`${parentLink('Buckets', bucketsPath)}<div class="title"><h1>${found.name}</h1>${buttons}</div>
${await region(`files-bucket/${id}`)}
<section><h2>Scan from your server</h2>${apiCall(services, 'files.bucket-scans.request', { body })}</section>
${write && html`<section><h2>Remove</h2><p class="lead">Deletes the connection and the history of its scans. Your bucket and its tags stay unchanged.</p><div class="actions spaced">${actionButton(member, `${place(id)}/remove`, 'Remove connection', { grave: true })}</div></section>`}`
    return { title: found.name, main }
  },
})

export const bucketRegion: OrgRegion = {
  everyMs: 2_000,
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await rows.find(db, orgId, id.data) : null
    if (!found) return null
    const latest = await scans.list(db, orgId, {
      where: scans.filters.bucket_id(found.id),
      before: undefined,
      limit: shownScans,
    })
    return html`${found.reason && html`<div class="fault"><p><b>${found.reason}</b></p><p>Correct the connection, then test it.</p></div>`}
<dl class="facts"><div><dt>State</dt><dd>${statusBadge(found.state)}</dd></div>
<div><dt>Bucket</dt><dd class="break">${found.bucket}</dd></div>
<div><dt>Endpoint</dt><dd class="break">${found.endpoint}</dd></div>
<div><dt>Region</dt><dd>${found.region}</dd></div>
<div><dt>Access key ID</dt><dd class="break">${found.access_key_id}</dd></div>
<div><dt>Tags</dt><dd>${found.writes_tags ? 'written' : 'off'}</dd></div>
<div><dt>Verified</dt><dd>${found.verified_at ? ago(found.verified_at) : quiet('not yet')}</dd></div>
<div><dt>ID</dt><dd>${copyable(found.id, 'the ID of the bucket')}</dd></div></dl>
<section><h2>Scans</h2>${latest.length === 0 ? emptyState('No scans yet.', 'Scans of objects in this bucket appear here.') : scanTable(latest)}</section>`
  },
}

const scanTable = (latest: readonly scans.BucketScan[]): Html =>
  dataTable({ caption: 'Scans', key: ({ id }) => `bucket-scan-${id}` }, latest, {
    Object: ['break', (one) => one.key],
    Verdict: [
      'break',
      (one) =>
        html`${statusBadge(one.status)}${(one.error?.message ?? one.reasons[0]?.detail) && html` <span class="quiet">${one.error?.message ?? one.reasons[0]?.detail}</span>`}`,
    ],
    Tag: ['break', (one) => html`${one.tag}${one.tag_error && html` <span class="quiet">${one.tag_error}</span>`}`],
    Requested: (one) => ago(one.created_at),
  })

export const { show: askForObject, submit: scanObject } = formPage({
  path: '/files/buckets/{bucket_id}/scan',
  summary: 'Scan an object in a bucket',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ key: z.string().default(''), version_id: optionalField(z.string().trim()) }),
  async view({ db, member, filled, fault, params: { bucket_id: id } }) {
    const found = await read(db, member.orgId, id)
    const main = html`${parentLink(found.name, place(id))}<h1>Scan an object</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'key', label: 'Key', required: true, hint: 'For example, inbox/invoice.pdf.' })}
${textField(filled, { name: 'version_id', label: 'Version ID', hint: 'Optional. Default: the current version.' })}
<p class="actions"><button>Scan</button> <a class="button plain" href="${place(id)}">Cancel</a></p></form>`
    return { title: 'Scan an object', main }
  },
  async submit({ ask, given, params: { bucket_id } }) {
    await ask(requestScan, { body: { bucket_id, ...given } }, z.unknown())
    return { to: place(bucket_id), told: 'Scan started. This page shows the verdict.' }
  },
})

export const { show: askForChange, submit: change } = formPage({
  path: '/files/buckets/{bucket_id}/edit',
  summary: 'Edit a bucket connection',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({
    name: z.string().default(''),
    region: z.string().trim().default(''),
    access_key_id: optionalField(z.string().trim()),
    secret_access_key: optionalField(z.string().trim()),
    writes_tags: repeatedField(z.string()),
  }),
  async view({ db, member, filled, fault, params: { bucket_id: id } }) {
    const found = await read(db, member.orgId, id)
    const main = html`${parentLink(found.name, place(id))}<h1>Edit bucket</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: found.name })}
${textField(filled, { name: 'region', label: 'Region', required: true, otherwise: found.region })}
<h2>New credentials</h2><p class="lead">Optional. They replace the current credentials immediately.</p>
${credentialFields(filled, { required: false })}
${tagField(filled, found.writes_tags)}
<p class="actions"><button>Save</button> <a class="button plain" href="${place(id)}">Cancel</a></p></form>`
    return { title: 'Edit bucket', main }
  },
  async submit({ ask, given, params: { bucket_id: id } }) {
    await ask(update, { params: { id }, body: { ...given, writes_tags: given.writes_tags.length > 0 } }, z.unknown())
    return { to: place(id), told: 'Bucket saved.' }
  },
})

export const testConnection = action({
  path: '/files/buckets/{bucket_id}/test',
  summary: 'Test a bucket connection',
  permission: 'areas:write',
  params,
  back: ({ bucket_id }) => place(bucket_id),
  async perform({ ask, params: { bucket_id: id } }) {
    const reply = z.object({ ok: z.boolean(), error: z.object({ message: z.string() }).nullable() })
    const { ok, error } = await ask(test, { params: { id } }, reply)
    return { to: place(id), told: ok ? 'The connection works.' : `Test failed. ${error?.message ?? ''}` }
  },
})

export const removeBucket = action({
  path: '/files/buckets/{bucket_id}/remove',
  summary: 'Remove a bucket connection',
  permission: 'areas:write',
  params,
  back: ({ bucket_id }) => place(bucket_id),
  async perform({ ask, params: { bucket_id: id } }) {
    await ask(remove, { params: { id } }, z.unknown())
    return { to: bucketsPath, told: 'Bucket connection removed.' }
  },
})
