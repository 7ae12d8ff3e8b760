import { z } from 'zod'
import * as streams from '#sql/account/streams/streams.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Doer } from '#tasks/account/rules/doer.ts'
import { changeStream, removeStream } from '#tasks/account/rules/streams/manage.ts'
import type { Services } from '../../http/container.ts'
import { formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { StreamChanges } from '../stream-form.ts'
import { sealOf, toChanges } from '../streams.ts'
import { moveFaultsToFields, parseInput } from './input.ts'
import { commonFields, commonInputs, kindFields, kindInputs, toCommon, toSettings } from './log-stream-form.ts'
import { section } from './log-streams.ts'

const shared = { section, permission: 'webhooks:write', params: z.object({ id: pathId('stream') }) } as const

const find = (db: DatabasePool, { orgId }: Member, id: string) => mustFind(streams.find(db, orgId, id), 'stream')

interface Changing {
  db: DatabasePool
  doer: Doer
  services: Services
}

async function change({ db, doer, services }: Changing, { id, kind }: streams.Stream, input: object): Promise<void> {
  const changes = toChanges(kind, parseInput(StreamChanges, input))
  const work = db.transaction((tx) => changeStream(tx, doer, id, changes, sealOf(services)))
  await mustFind(moveFaultsToFields(work), 'stream')
}

export const { show: askForChange, submit: edit } = formPage({
  ...shared,
  path: '/log-streams/{id}/edit',
  summary: 'Edit a log stream',
  stepUp: true,
  fields: z.object(commonFields),
  async view({ db, member, params: { id }, filled, fault }) {
    const found = await find(db, member, id)
    const main = html`${parentLink(found.name, `/app/log-streams/${id}`)}<h1>Edit ${found.name}</h1>${renderFault(fault)}
<form class="form long" method="post">${tokenField(member)}
${commonInputs(filled, found)}
<div class="submit"><button class="primary">Save log stream</button> <a class="button plain" href="/app/log-streams/${id}">Cancel</a></div></form>`
    return { title: `Edit ${found.name}`, main }
  },
  async submit({ db, doer, member, services, params: { id }, given }) {
    await change({ db, doer, services }, await find(db, member, id), toCommon(given))
    return { to: `/app/log-streams/${id}`, told: 'Log stream saved.' }
  },
})

export const { show: askForSettings, submit: replaceSettings } = formPage({
  ...shared,
  path: '/log-streams/{id}/settings',
  summary: 'Replace the settings of a log stream',
  stepUp: true,
  fields: z.object(kindFields),
  async view({ db, member, params: { id }, filled, fault }) {
    const found = await find(db, member, id)
    const given = Object.fromEntries(Object.entries(found.settings).map(([name, value]) => [name, String(value ?? '')]))
    const state = Object.keys(filled.given).length > 0 ? filled : { given, faults: {} }
    const main = html`${parentLink(found.name, `/app/log-streams/${id}`)}<h1>Replace settings</h1>${renderFault(fault)}
<p class="lead">The new settings and secrets replace all current ones. Waiting records go to the new server.</p>
<form class="form long" method="post">${tokenField(member)}
${kindInputs(found.kind, state)}
<div class="submit"><button class="primary">Replace settings</button> <a class="button plain" href="/app/log-streams/${id}">Cancel</a></div></form>`
    return { title: 'Replace settings', main }
  },
  async submit({ db, doer, member, services, params: { id }, given }) {
    const found = await find(db, member, id)
    await change({ db, doer, services }, found, toSettings(found.kind, given))
    return { to: `/app/log-streams/${id}`, told: 'Settings replaced. Send a test record to check them.' }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  ...shared,
  path: '/log-streams/{id}/remove',
  summary: 'Delete a log stream',
  fields: z.object({}),
  async view({ db, member, params: { id }, fault }) {
    const { name } = await find(db, member, id)
    const main = html`${parentLink(name, `/app/log-streams/${id}`)}<h1>Delete ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>Records that were not sent stay in their logs.</p>
<p class="actions"><button class="grave">Delete log stream</button> <a class="button plain" href="/app/log-streams/${id}">Cancel</a></p></form>`
    return { title: `Delete ${name}`, main }
  },
  async submit({ db, doer, member, params: { id } }) {
    const { name } = await find(db, member, id)
    await db.transaction((tx) => removeStream(tx, doer, id))
    return { to: section.path, told: `${name} deleted.` }
  },
})
