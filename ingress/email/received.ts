import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as rows from '#sql/email/received.ts'
import * as objects from '#sql/files/objects.ts'
import { deleteReceived } from '#tasks/email/rules/received/delete.ts'
import { findScanStates } from '#tasks/email/rules/received/files.ts'
import { rawKey } from '#tasks/email/rules/received/keys.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { present, Received, Summary, summarize } from './inbound/received-view.ts'

const linkSeconds = 300

const notClean = problem(
  409,
  'not_clean',
  'The file has not passed the malware scan. `scan_status` contains its state.',
)

const params = z.object({ id: pathId('received email') })

const Link = z.object({ download_url: secret(z.url()), expires_in_seconds: z.int(), expires_at: Instant })

const linkOf = (download_url: string) => ({
  download_url,
  expires_in_seconds: linkSeconds,
  expires_at: new Date(Date.now() + linkSeconds * 1_000),
})

export const list = listRoute({
  path: '/received',
  summary: 'List received email, newest first',
  description:
    'Returns received emails without their content. `replies_to` selects the replies to a message that you sent.',
  tool: { name: 'list_received_emails', outsideText: true },
  scope: 'email:manage',
  filters: rows.filters,
  query: { from: Address.optional(), route_id: Id.optional(), replies_to: Id.optional() },
  item: Summary,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: summarize,
})

export const read = route({
  method: 'GET',
  path: '/received/{id}',
  summary: 'Read a received email',
  description: 'Returns the email with its text, HTML, headers, attachments and authentication results.',
  scope: 'email:manage',
  params,
  status: 200,
  reply: Received,
  problems: ['not_found'],
  async handle({ params: { id }, org, db }) {
    const mail = await mustFind(rows.find(db, org.id, id), 'received email')
    return present(mail, await findScanStates(db, mail))
  },
})

export const downloadUrl = route({
  method: 'POST',
  path: '/received/{id}/download-url',
  repeatable: true,
  summary: 'Create a download URL for a received email',
  description: 'The file is untrusted and was not scanned as a whole. Parse it, and do not show it to users.',
  scope: 'email:manage',
  params,
  status: 200,
  reply: Link,
  problems: ['not_found'],
  async handle({ params: { id }, org, db, services }) {
    await mustFind(rows.find(db, org.id, id), 'received email')
    const as = { filename: `${id}.eml`, type: 'application/octet-stream' }
    return linkOf(await services(storage).signSave(rawKey(id), linkSeconds, as))
  },
})

export const attachmentUrl = route({
  method: 'POST',
  path: '/received/{id}/attachments/{object_id}/download-url',
  repeatable: true,
  summary: 'Create a download URL for an attachment',
  description:
    'Only clean files can be downloaded. Other files return `409` with `scan_status`. Browsers save the file instead of showing it.',
  scope: 'email:manage',
  params: params.extend({ object_id: pathId('file of this email') }),
  status: 200,
  reply: Link.extend({ filename: z.string(), byte_size: z.int() }),
  problems: ['not_found', notClean],
  async handle({ params: { id, object_id }, org, db, services }) {
    const mail = await mustFind(rows.find(db, org.id, id), 'received email')
    if (!mail.attachments.some((file) => file.object_id === object_id)) throw notFound('file of this email')
    const object = await mustFind(objects.find(db, { orgId: org.id }, object_id), 'file of this email')
    const { scan_status, held_key, filename, byte_size } = object
    if (scan_status !== 'clean' || held_key === null)
      throw notClean(`The file is ${scan_status}. Only clean files can be downloaded.`, { scan_status })
    const link = await services(storage).signSave(held_key, linkSeconds, { filename, type: 'application/octet-stream' })
    return { ...linkOf(link), filename, byte_size }
  },
})

export const remove = removeRoute({
  path: '/received/{id}',
  summary: 'Delete a received email',
  description: 'Deletes the email with its files. Storage is freed and download URLs stop working soon after.',
  scope: 'email:manage',
  params,
  what: 'received email',
  remove: async ({ params: { id }, org, db }) => {
    await mustFind(rows.find(db, org.id, id), 'received email')
    await deleteReceived(db, id)
  },
})
