import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { kinds } from '#sql/account/streams/streams.ts'
import { addStream } from '#tasks/account/rules/streams/manage.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { divideSettings, StreamForm } from '../stream-form.ts'
import { sealOf, usualBatch } from '../streams.ts'
import { moveFaultsToFields, parseInput } from './input.ts'
import {
  commonFields,
  commonInputs,
  kindFields,
  kindInputs,
  kindParam,
  toCommon,
  toSettings,
} from './log-stream-form.ts'
import { kindNames, section } from './log-streams.ts'

const targets = {
  s3: 'Compressed objects with one JSON record per line, in Amazon S3 or a compatible store.',
  otlp: 'OTLP/HTTP logs, for an OpenTelemetry Collector, Grafana Loki and most services for logs.',
  syslog: 'Messages of RFC 5424 over TLS.',
  splunk: 'The HTTP Event Collector of Splunk.',
} as const

export const choose = page({
  path: '/log-streams/new',
  summary: 'Choose the kind of a log stream',
  section,
  permission: 'webhooks:write',
  async view() {
    const main = html`${parentLink('Log streams', section.path)}<h1>Create log stream</h1>
<ul class="cards">${kinds.map((kind) => html`<li class="card"><h2><a href="/app/log-streams/new/${kind}">${kindNames[kind]}</a></h2><p>${targets[kind]}</p></li>`)}</ul>`
    return { title: 'Create log stream', main }
  },
})

export const { show: askForStream, submit: make } = formPage({
  path: '/log-streams/new/{kind}',
  summary: 'Create a log stream',
  section,
  permission: 'webhooks:write',
  stepUp: true,
  params: z.object({ kind: kindParam }),
  fields: z.object({ ...commonFields, ...kindFields }),
  async view({ member, params: { kind }, filled, fault }) {
    const title = `Create log stream for ${kindNames[kind]}`
    const main = html`${parentLink('Log streams', section.path)}<h1>${title}</h1>${renderFault(fault)}
<p class="lead">The stream starts with the next record. You can send a test record on the next page.</p>
<form class="form long" method="post">${tokenField(member)}
${commonInputs(filled)}
${kindInputs(kind, filled)}
<div class="submit"><button class="primary">Create log stream</button> <a class="button plain" href="${section.path}">Cancel</a></div></form>`
    return { title, main }
  },
  async submit({ db, doer, params: { kind }, given, services }) {
    const form = parseInput(StreamForm, { kind, ...toCommon(given), ...toSettings(kind, given) })
    const { name, sources, event_types, request_classes, batch_seconds = usualBatch(kind) } = form
    const wanted = { name, kind, sources, event_types, request_classes, batch_seconds, ...divideSettings(kind, form) }
    const added = await moveFaultsToFields(db.transaction((tx) => addStream(tx, doer, wanted, sealOf(services))))
    if ('max' in added) throw conflict(`Your plan allows up to ${added.max} log streams.`, 'stream_limit')
    return { to: `/app/log-streams/${added.stream.id}`, told: 'Log stream created. Send a test record to check it.' }
  },
})
