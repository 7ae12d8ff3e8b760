import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/intake/sources.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { linkButton, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { secretField } from '../../http/html/secret-field.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { replayMany } from '../requests.ts'
import { takesSecret } from '../source-form.ts'
import * as sources from '../sources.ts'
import { section, sourcePath, sourcesPath } from './section.ts'
import { atFields, sourceFields, sourceInputs, toSource } from './source-fields.ts'

const shared = {
  section,
  permission: 'areas:write',
  params: z.object({ source_id: pathId('source') }),
} as const

const read = (db: Db, orgId: string, id: string) => mustFind(rows.find(db, orgId, id), 'source')

export const { show: askForChange, submit: change } = formPage({
  ...shared,
  path: '/intake/sources/{source_id}/edit',
  summary: 'Edit a source of webhooks',
  fields: z.object(sourceFields),
  async view({ db, member, filled, fault, params: { source_id: id } }) {
    const found = await read(db, member.orgId, id)
    const main = html`${parentLink(found.name, sourcePath(id))}<h1>Edit source</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: found.name })}
${sourceInputs(found.provider, filled, found)}
<p class="actions"><button>Save</button> <a class="button plain" href="${sourcePath(id)}">Cancel</a></p></form>`
    return { title: 'Edit source', main }
  },
  async submit({ db, member, ask, given, params: { source_id: id } }) {
    const found = await read(db, member.orgId, id)
    const body = toSource(found.provider, given, found)
    await atFields(ask(sources.update, { params: { id }, body }, z.unknown()))
    return { to: sourcePath(id), told: 'Source saved.' }
  },
})

export const { show: askForSecret, submit: rotate } = formPage({
  ...shared,
  path: '/intake/sources/{source_id}/secret',
  summary: 'Replace the secret of a source',
  fields: z.object({
    secret: optionalField(z.string().trim().max(500)),
    keep_hours: optionalField(z.string().max(10)),
  }),
  async view({ db, member, filled, fault, params: { source_id: id } }) {
    const found = await read(db, member.orgId, id)
    const hint = takesSecret(found.provider)
      ? 'Optional. Leave blank to let Millrace create one.'
      : 'Copy it from the provider.'
    const main = html`${parentLink(found.name, sourcePath(id))}<h1>Replace secret</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${secretField(filled, { name: 'secret', label: 'New secret', required: !takesSecret(found.provider), hint })}
${textField(filled, { name: 'keep_hours', label: 'Hours until the previous secret expires', type: 'number', otherwise: '24', hint: '0 to 168' })}
<p class="actions"><button>Replace secret</button> <a class="button plain" href="${sourcePath(id)}">Cancel</a></p></form>`
    return { title: 'Replace secret', main }
  },
  async submit({ ask, given: { secret, keep_hours }, params: { source_id: id } }) {
    const body = { secret, ...(keep_hours !== undefined && { keep_hours: Number(keep_hours) }) }
    const made = await ask(sources.rotateSecret, { params: { id }, body }, z.object({ secret: z.string().nullable() }))
    if (made.secret === null) return { to: sourcePath(id), told: 'Secret replaced.' }
    const main = html`<h1>Secret replaced</h1>${showSecretOnce(made.secret, 'Enter this secret at the provider. It is not shown again.')}
<p class="actions">${linkButton(sourcePath(id), 'Open source', { primary: true })}</p>`
    return { view: { title: 'Secret replaced', main } }
  },
})

export const { show: askForReplay, submit: replay } = formPage({
  ...shared,
  path: '/intake/sources/{source_id}/replay',
  summary: 'Forward the webhooks of a period again',
  fields: z.object({ since: z.string().max(40), until: optionalField(z.string().max(40)) }),
  async view({ db, member, filled, fault, params: { source_id: id } }) {
    const found = await read(db, member.orgId, id)
    const main = html`${parentLink(found.name, sourcePath(id))}<h1>Forward requests again</h1>${renderFault(fault)}
<p class="lead">Each request with a valid signature becomes a new job, oldest first.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'since', label: 'Received since (UTC)', type: 'datetime-local', required: true })}
${textField(filled, { name: 'until', label: 'Received before (UTC)', type: 'datetime-local', hint: 'Optional. Default: now.' })}
<p class="actions"><button>Forward again</button> <a class="button plain" href="${sourcePath(id)}">Cancel</a></p></form>`
    return { title: 'Forward requests again', main }
  },
  async submit({ ask, given: { since, until }, params: { source_id: id } }) {
    const body = { since: toUtc(since), ...(until !== undefined && { until: toUtc(until) }) }
    await ask(replayMany, { params: { id }, body }, z.unknown())
    return { to: sourcePath(id), told: 'The requests are being forwarded.' }
  },
})

/** A browser leaves out the seconds if they are 0. */
const toUtc = (local: string): string => `${/T\d\d:\d\d$/.test(local) ? `${local}:00` : local}Z`

const simple = (
  name: 'pause' | 'resume' | 'url',
  summary: string,
  { route, told, body }: { route: typeof sources.pause; told: string; body?: object },
) =>
  action({
    ...shared,
    path: `/intake/sources/{source_id}/${name}`,
    summary,
    back: ({ source_id }) => sourcePath(source_id),
    async perform({ ask, params: { source_id: id } }) {
      await ask(route, { params: { id }, ...(body && { body }) }, z.unknown())
      return { to: sourcePath(id), told }
    },
  })

export const pause = simple('pause', 'Pause a source', { route: sources.pause, told: 'Source paused.' })

export const resume = simple('resume', 'Resume a source', {
  route: sources.resume,
  told: 'Source resumed. Held requests are being forwarded.',
})

export const replaceUrl = simple('url', 'Replace the URL of a source', {
  route: sources.rotateUrl,
  told: 'URL replaced. The previous URL works for 24 hours.',
  body: {},
})

export const remove = action({
  ...shared,
  path: '/intake/sources/{source_id}/remove',
  summary: 'Delete a source of webhooks',
  back: ({ source_id }) => sourcePath(source_id),
  async perform({ ask, params: { source_id: id } }) {
    await ask(sources.remove, { params: { id } }, z.unknown())
    return { to: sourcesPath, told: 'Source and its requests deleted.' }
  },
})
