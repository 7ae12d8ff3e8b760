import { z } from 'zod'
import * as assets from '#sql/video/assets.ts'
import type { Chapter } from '#sql/video/chapter.ts'
import * as chapterRows from '#sql/video/chapters.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { linesField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { put } from '../chapters.ts'
import { readClock, writeClock } from './clock.ts'
import { section, titleOf } from './videos.ts'

const params = z.object({ asset_id: pathId('asset') })

const pathOf = (assetId: string): string => `${section.path}/${assetId}`

const linesOf = (chapters: readonly Chapter[]): string =>
  chapters.map(({ start, title }) => `${writeClock(start)} ${title}`).join('\n')

/** Chapters as text: each line has a time and a title. */
const ChapterLines = z.string().transform((text, { addIssue }) => {
  const chapters: Chapter[] = []
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const [time = '', ...words] = line.trim().split(' ')
    const title = words.join(' ').trim()
    const start = readClock(time)
    if (start === null || title === '') {
      addIssue({ code: 'custom', message: `must have a time and a title on line ${i + 1}, such as 1:30 Interview` })
      return z.NEVER
    }
    chapters.push({ start, title })
  }
  return chapters
})

export const { show: askForChapters, submit: setChapters } = formPage({
  path: '/videos/{asset_id}/chapters',
  summary: 'Show the chapters of a video',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ chapters: ChapterLines.default([]) }),
  async view({ db, member, params: { asset_id: id }, filled, fault }) {
    const asset = await mustFind(assets.find(db, member.orgId, id), 'asset')
    const found = await chapterRows.find(db, id)
    const hint = 'One chapter per line: time and title. For example, 1:30 Interview. Leave blank for no chapters.'
    const main = html`${parentLink(titleOf(asset), pathOf(id))}<h1>Chapters</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${linesField(filled, { name: 'chapters', label: 'Chapters', hint, otherwise: linesOf(found?.chapters ?? []), rows: 16 })}
<p class="actions"><button class="primary">Save chapters</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Chapters', main }
  },
  async submit({ ask, params: { asset_id: assetId }, given }) {
    await ask(put, { params: { assetId }, body: given }, z.unknown())
    return { to: pathOf(assetId), told: 'Chapters saved. Players show them the next time they start.' }
  },
})
