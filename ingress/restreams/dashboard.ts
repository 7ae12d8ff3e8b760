import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import type { RestreamView } from '#sql/live/restream-queries.ts'
import { maxRestreams } from '#tasks/live/rules/restream-target.ts'
import { action, formPage } from '../http/dashboard/page.ts'
import { textField } from '../http/html/form.ts'
import type { Section } from '../http/html/frame.ts'
import { type Html, html } from '../http/html/html.ts'
import { statusBadge } from '../http/html/marks.ts'
import { parentLink, renderFault, tokenField } from '../http/html/parts.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { getRestreamStatus, type RestreamOwner } from './owner.ts'
import type { restreamRoutes } from './routes.ts'

interface Described {
  owner: RestreamOwner
  routes: Pick<ReturnType<typeof restreamRoutes>, 'create' | 'update' | 'remove'>
  section: Section
  path: '/live/{channel_id}' | '/rooms/{room_id}'
  param: 'channel_id' | 'room_id'
  texts: Record<
    'summary' | 'title' | 'button' | 'added' | 'one' | 'turnedOn' | 'turnedOff' | 'listTitle' | 'addLink' | 'caption',
    string
  >
}

/** Returns the dashboard pages and parts for the restream targets of a live channel or a room. */
export function restreamPages({ owner, routes, section, path, param, texts }: Described) {
  const params = z.object({ [param]: pathId(owner.what) })
  const onePath = `${path}/restreams/{restream_id}`
  const oneParams = params.extend({ restream_id: pathId('restream') })
  const pathOf = (id: string): string => `${section.path}/${id}`
  const ownerOf = (given: Record<string, string>): string => given[param] as string
  const paramsOf = (given: Record<string, string>) => ({
    [owner.param]: ownerOf(given),
    restreamId: given.restream_id as string,
  })

  const { show: askForTarget, submit: add } = formPage({
    path: `${path}/restreams/new`,
    summary: texts.summary,
    section,
    permission: 'areas:write',
    params,
    fields: z.object({ name: z.string(), url: z.string(), streamKey: z.string() }),
    async view({ db, member, params: given, filled, fault }) {
      const id = ownerOf(given)
      const { name } = await mustFind(owner.find(db, member.orgId, id), owner.what)
      const main = html`${parentLink(name, pathOf(id))}<h1>${texts.title}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true })}
${textField(filled, { name: 'url', label: 'Server', required: true, hint: 'The server URL of the platform: rtmp://… or rtmps://…, without the stream key.' })}
${textField(filled, { name: 'streamKey', label: 'Stream key', required: true, hint: 'The stream key is encrypted and not shown again.' })}
<p class="actions"><button>${texts.button}</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
      return { title: texts.title, main }
    },
    async submit({ ask, given: body, params: given }) {
      await ask(routes.create, { params: { [owner.param]: ownerOf(given) }, body }, z.unknown())
      return { to: pathOf(ownerOf(given)), told: texts.added }
    },
  })

  const enabling = (enabled: boolean) =>
    action({
      path: `${onePath}/${enabled ? 'on' : 'off'}`,
      summary: `Turn ${enabled ? 'on' : 'off'} a ${texts.one}`,
      permission: 'areas:write',
      params: oneParams,
      back: (given) => pathOf(ownerOf(given)),
      async perform({ ask, params: given }) {
        await ask(routes.update, { params: paramsOf(given), body: { enabled } }, z.unknown())
        return { to: pathOf(ownerOf(given)), told: enabled ? texts.turnedOn : texts.turnedOff }
      },
    })

  const on = enabling(true)

  /** Disables a target without deleting it. */
  const off = enabling(false)

  const forget = action({
    path: `${onePath}/remove`,
    summary: 'Delete a restream target',
    permission: 'areas:write',
    params: oneParams,
    back: (given) => pathOf(ownerOf(given)),
    async perform({ ask, params: given }) {
      await ask(routes.remove, { params: paramsOf(given) }, z.unknown())
      return { to: pathOf(ownerOf(given)), told: 'Restream target and its key deleted.' }
    },
  })

  async function targetsSection(
    db: Db,
    id: string,
    button: (path: string, words: string, of: string) => Html,
  ): Promise<Html> {
    const found = await owner.targets.list(db, id, { before: undefined, limit: maxRestreams })
    const rows = found.map(({ id: targetId, name, enabled }) => {
      const at = `${pathOf(id)}/restreams/${targetId}`
      return html`<div><dt>${name}</dt><dd class="actions">${enabled ? button(`${at}/off`, 'Pause', name) : button(`${at}/on`, 'Resume', name)} ${button(`${at}/remove`, 'Delete', name)}</dd></div>`
    })
    const more =
      found.length < maxRestreams &&
      html`<p class="actions"><a class="button" href="${pathOf(id)}/restreams/new">${texts.addLink}</a></p>`
    return html`<section><h2>${texts.listTitle}</h2>${rows.length > 0 && html`<dl class="facts">${rows}</dl>`}${more}</section>`
  }

  const targetTable = (found: readonly RestreamView[]): Html => html`<section><h2>Restream targets</h2>
<table class="data stacks"><caption class="unseen">${texts.caption}</caption>
<thead><tr><th scope="col">Target</th><th scope="col">Server</th><th scope="col">State</th></tr></thead>
<tbody>${found.map((target) => targetRow(target, owner))}</tbody></table></section>`

  return { askForTarget, add, on, off, forget, targetsSection, targetTable }
}

function targetRow(target: RestreamView, { messageOf }: RestreamOwner): Html {
  const { state, reason } = getRestreamStatus(target)
  return html`<tr><th scope="row" class="break">${target.name}</th><td data-label="Server" class="break">${target.url}</td>
<td data-label="State">${statusBadge(target.enabled ? state : 'paused')}${reason && html`: <span class="quiet">${messageOf(reason)}</span>`}</td></tr>`
}
