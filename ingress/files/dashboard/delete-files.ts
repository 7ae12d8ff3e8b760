import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as objects from '#sql/files/objects.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { repeatedField } from '../../http/html/form.ts'
import { counted } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { remove } from '../objects.ts'
import { section } from './files.ts'

const chosenIds = z.array(Id).max(perPage)

export const { show: askToRemoveFiles, submit: removeFiles } = formPage({
  path: '/files/delete',
  summary: 'Delete several files',
  section,
  permission: 'areas:write',
  fields: z.object({ id: repeatedField(Id) }),
  async view({ db, ctx, member, filled, fault }) {
    const asked = filled.given.id ?? new URL(ctx.href).searchParams.getAll('id')
    const ids = chosenIds.safeParse([asked].flat()).data ?? []
    const found = await Promise.all(ids.map((id) => objects.find(db, { orgId: member.orgId }, id)))
    const shown = found.flatMap((one) => one ?? [])
    const ask = html`<form class="form" method="post" action="${section.path}/delete">${tokenField(member)}
<p>These files become unavailable to everyone. You cannot undo this.</p>
<ul class="groups">${shown.map(({ id, filename }) => html`<li>${filename}<input type="hidden" name="id" value="${id}"></li>`)}</ul>
<p class="actions"><button class="grave">Delete ${counted(shown.length, 'file')}</button> <a class="button plain" href="${section.path}">Cancel</a></p></form>`
    const main = html`${parentLink('Files', section.path)}<h1>Delete files</h1>${renderFault(fault)}
${shown.length === 0 ? emptyState('No files are selected. Select files in the list first.') : ask}`
    return { title: 'Delete files', main }
  },
  async submit({ ask, given: { id: ids } }) {
    let deleted = 0
    for (const id of ids.slice(0, perPage)) {
      try {
        await ask(remove, { params: { id } }, z.unknown())
        deleted++
      } catch (error) {
        // Another member can have deleted the file in the meantime.
        if (!(error instanceof Problem) || error.status !== 404) throw error
      }
    }
    return { to: section.path, told: `${counted(deleted, 'file')} deleted.` }
  },
})
