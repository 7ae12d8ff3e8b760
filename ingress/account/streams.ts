import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import * as rejects from '#sql/account/streams/rejects.ts'
import * as rows from '#sql/account/streams/streams.ts'
import * as rules from '#tasks/account/rules/streams/manage.ts'
import { testStream } from '#tasks/account/test-stream.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { questions, signingSecret } from '../http/services.ts'
import { actForKey } from './acting.ts'
import { divideSettings, StreamChanges, StreamForm } from './stream-form.ts'
import { present, Stream, withPositions } from './stream-view.ts'

const shared = { scope: 'account:webhooks', beyondContract: true } as const
const params = z.object({ id: pathId('stream') })
const oneStream = { ...shared, params, status: 200, reply: Stream, problems: ['not_found'] } as const

/** Timeout of a test in milliseconds. It is longer than the timeout of a server. */
const testMs = 25_000

export const tooMany = problem(409, 'stream_limit', 'The organisation already has all log streams of its plan.')

export const sealOf = (services: Services) => createSeal(services(signingSecret), rows.sealPurpose)

/** Time in seconds for which records are collected. An S3 object should have more than a few records. */
export const usualBatch = (kind: rows.Kind): number => (kind === 's3' ? 60 : 5)

export const create = route({
  method: 'POST',
  path: '/account/streams',
  summary: 'Create a log stream',
  description:
    'Sends new records of the audit log, the events and the request log to your server. The key also needs `account:audit` and `account:logs` to stream these logs.',
  ...shared,
  body: StreamForm,
  status: 201,
  reply: Stream,
  problems: [tooMany],
  example: {
    body: {
      name: 'Audit archive',
      kind: 's3',
      sources: ['audit'],
      s3: {
        region: 'eu-north-1',
        bucket: 'acme-audit',
        access_key_id: 'acme-millrace',
        secret_access_key: 'c2VjcmV0LW9mLXRoZS1idWNrZXQ',
      },
    },
  },
  async handle(call) {
    const { body, db, services } = call
    const { name, kind, sources, event_types, request_classes, batch_seconds = usualBatch(kind) } = body
    const given = { name, kind, sources, event_types, request_classes, batch_seconds, ...divideSettings(kind, body) }
    const added = await db.transaction((tx) => rules.addStream(tx, actForKey(call), given, sealOf(services)))
    if ('max' in added) throw tooMany(`Your plan allows up to ${added.max} log streams.`, { max: added.max })
    return present((await withPositions(db, [added.stream]))[0] as never)
  },
})

export const list = listRoute({
  path: '/account/streams',
  summary: 'List log streams',
  description: 'Returns the log streams with their positions, without secrets.',
  ...shared,
  filters: rows.filters,
  query: { kind: z.enum(rows.kinds).optional(), source: z.enum(rows.sources).optional() },
  item: Stream,
  rows: async ({ org, db }, page) => await withPositions(db, await rows.list(db, org.id, page)),
  present,
})

export const read = route({
  method: 'GET',
  path: '/account/streams/{id}',
  summary: 'Read a log stream',
  description: 'Returns the stream with its lag and its last error. Secrets are not returned.',
  ...oneStream,
  async handle({ params: { id }, org, db }) {
    const found = await mustFind(rows.find(db, org.id, id), 'stream')
    return present((await withPositions(db, [found]))[0] as never)
  },
})

export const update = route({
  method: 'PATCH',
  path: '/account/streams/{id}',
  summary: 'Update a log stream',
  description:
    'Omitted fields keep their values. The part of its kind replaces all settings and secrets. A new source starts with its next record.',
  ...oneStream,
  body: StreamChanges,
  async handle(call) {
    const { params, body, org, db, services } = call
    const { kind } = await mustFind(rows.find(db, org.id, params.id), 'stream')
    const changes = toChanges(kind, body)
    const changed = await mustFind(
      db.transaction((tx) => rules.changeStream(tx, actForKey(call), params.id, changes, sealOf(services))),
      'stream',
    )
    return present((await withPositions(db, [changed]))[0] as never)
  },
})

/** Throws 400 if the changes contain settings of another kind. */
export function toChanges(kind: rows.Kind, body: z.output<typeof StreamChanges>): rules.StreamChange {
  const strange = rows.kinds.filter((one) => one !== kind && body[one] !== undefined)
  if (strange.length > 0)
    throw badRequest(strange.map((one) => ({ field: `body.${one}`, issue: `cannot be used with the kind ${kind}` })))
  const { s3: _, otlp: __, syslog: ___, splunk: ____, ...given } = body
  const plain = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...plain, ...(body[kind] && divideSettings(kind, body)) }
}

export const remove = removeRoute({
  path: '/account/streams/{id}',
  summary: 'Delete a log stream',
  description: 'Records that were not sent stay in their logs.',
  ...shared,
  params,
  what: 'stream',
  remove: (call) => rules.removeStream(call.db, actForKey(call), call.params.id),
})

export const pause = route({
  method: 'POST',
  path: '/account/streams/{id}/pause',
  repeatable: true,
  summary: 'Pause a log stream',
  description: 'New records wait until they are sent or deleted.',
  ...oneStream,
  async handle(call) {
    const { params, db } = call
    const paused = await mustFind(
      db.transaction((tx) => rules.pauseStream(tx, actForKey(call), params.id, true)),
      'stream',
    )
    return present((await withPositions(db, [paused]))[0] as never)
  },
})

export const resume = route({
  method: 'POST',
  path: '/account/streams/{id}/resume',
  repeatable: true,
  summary: 'Resume a log stream',
  description: 'Sends the waiting records. For a failing stream, the next attempt starts immediately.',
  ...oneStream,
  async handle(call) {
    const { params, db } = call
    const resumed = await mustFind(
      db.transaction((tx) => rules.pauseStream(tx, actForKey(call), params.id, false)),
      'stream',
    )
    return present((await withPositions(db, [resumed]))[0] as never)
  },
})

export const TestedStream = z
  .object({
    record_id: Id,
    delivered: z.boolean(),
    response_status: z.int().nullable(),
    response_body: z.string().nullable().describe('Start of the response, with secrets masked'),
    latency_ms: z.int(),
    error: z.string().nullable(),
  })
  .meta({ id: 'account.StreamTest' })

export const test = route({
  method: 'POST',
  path: '/account/streams/{id}/test',
  summary: 'Send a test record',
  description: 'Sends one sample record and returns the response of the server. Paused streams also send it.',
  ...shared,
  // The result contains the response of a URL. The limit prevents scans of many URLs.
  limit: { perMinute: 20, by: 'org' },
  enqueues: testStream,
  params,
  status: 200,
  reply: TestedStream,
  problems: ['not_found', 'upstream_error', noAnswerInTime],
  async handle({ params: { id }, org, db, services }) {
    await mustFind(rows.find(db, org.id, id), 'stream')
    const about = { orgId: org.id, subject: id, timeout: testMs }
    return await services(questions).ask(testStream, { streamId: id, recordId: newId() }, about)
  },
})

const Rejected = z
  .object({
    id: Id,
    source: z.enum(rows.sources),
    record_id: z.string(),
    reason: z.string().describe('Response of the server, with secrets masked'),
    created_at: Instant,
  })
  .meta({ id: 'account.StreamReject' })

export const listRejected = listRoute({
  path: '/account/streams/{id}/rejected',
  summary: 'List records that a server rejected',
  description: 'Returns records that the server did not accept, newest first. The stream continues without them.',
  ...shared,
  params,
  filters: rejects.filters,
  query: { source: z.enum(rows.sources).optional() },
  item: Rejected,
  problems: ['not_found'],
  async rows({ params: { id }, org, db }, page) {
    await mustFind(rows.find(db, org.id, id), 'stream')
    return await rejects.list(db, { orgId: org.id, streamId: id }, page)
  },
  present: ({ stream_id: _, org_id: __, number: ___, ...row }: rejects.Reject) => row,
})
