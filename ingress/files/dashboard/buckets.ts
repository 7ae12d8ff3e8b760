import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/files/buckets.ts'
import { everything } from '#sql/filters.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { checkBoxes, type FormState, repeatedField, selectField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { secretField } from '../../http/html/secret-field.ts'
import { create } from '../buckets.ts'
import { bucketsPath, section } from './section.ts'

export const list = page({
  path: '/files/buckets',
  summary: 'List buckets',
  section,
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await rows.list(db, member.orgId, { where: everything, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const add = may('areas:write') && linkButton(`${bucketsPath}/new`, 'Connect a bucket', { primary: true })
    const main = html`${parentLink('Files', section.path)}<div class="title"><h1>Buckets</h1>${shown.length > 0 && add}</div>
${shown.length === 0 ? emptyState('Your bucket connections appear here.', 'Millrace scans objects in your own S3 bucket and writes the verdict as a tag.', add) : bucketTable(shown)}${older(bucketsPath)}`
    return { title: 'Buckets', main }
  },
})

const bucketTable = (shown: readonly rows.Facts[]): Html =>
  dataTable('Buckets', shown, {
    Name: (one) => html`<a href="${bucketsPath}/${one.id}">${one.name}</a>`,
    Bucket: ['break', (one) => one.bucket],
    State: [
      'break',
      (one) => html`${statusBadge(one.state)}${one.reason && html` <span class="quiet">${one.reason}</span>`}`,
    ],
    Endpoint: ['break', (one) => one.endpoint],
    Created: (one) => ago(one.created_at),
  })

/** Renders the fields of the credentials. */
export const credentialFields = (filled: FormState, { required }: { required: boolean }): Html =>
  html`${textField(filled, { name: 'access_key_id', label: 'Access key ID', required })}
${secretField(filled, { name: 'secret_access_key', label: 'Secret access key', required, hint: 'It is encrypted and never shown again.' })}`

const writesTags = [['yes', 'Write each verdict as the tag millrace-verdict']] as const

export const tagField = (filled: FormState, isSet: boolean): Html =>
  checkBoxes(filled, { name: 'writes_tags', label: 'Tags', options: writesTags, otherwise: isSet ? ['yes'] : [] })

export const { show: ask, submit: add } = formPage({
  path: '/files/buckets/new',
  summary: 'Connect a bucket',
  section,
  permission: 'areas:write',
  fields: z.object({
    name: z.string().default(''),
    endpoint: z.string().trim().default(''),
    region: z.string().trim().default(''),
    bucket: z.string().trim().default(''),
    addressing: rows.Addressing.default('path'),
    access_key_id: z.string().trim().default(''),
    secret_access_key: z.string().trim().default(''),
    writes_tags: repeatedField(z.string()),
  }),
  async view({ member, filled, fault }) {
    const addressing = [
      ['path', 'In the path of URLs'],
      ['virtual', 'In the host name'],
    ] as const
    const main = html`${parentLink('Buckets', bucketsPath)}<h1>Connect a bucket</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'For example, Uploads.' })}
${textField(filled, { name: 'endpoint', label: 'Endpoint', type: 'url', required: true, hint: 'URL of the S3 service. For example, https://s3.eu-central-1.amazonaws.com.' })}
${textField(filled, { name: 'region', label: 'Region', required: true, hint: 'For example, eu-central-1.' })}
${textField(filled, { name: 'bucket', label: 'Bucket', required: true })}
${selectField(filled, { name: 'addressing', label: 'Bucket in URLs', options: addressing })}
${credentialFields(filled, { required: true })}
${tagField(filled, true)}
<p class="hint">The credentials need the permissions s3:ListBucket, s3:GetObject, s3:GetObjectTagging and s3:PutObjectTagging.</p>
<p class="actions"><button>Connect</button> <a class="button plain" href="${bucketsPath}">Cancel</a></p></form>`
    return { title: 'Connect a bucket', main }
  },
  async submit({ ask: call, given }) {
    const body = { ...given, writes_tags: given.writes_tags.length > 0 }
    const made = await call(create, { body }, z.object({ id: z.string() }))
    return { to: `${bucketsPath}/${made.id}`, told: 'Bucket connected. It is being tested.' }
  },
})
