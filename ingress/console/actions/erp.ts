import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as imports from '#sql/erp/imports.ts'
import * as sources from '#sql/erp/sources.ts'
import { confirmImport, fetchNow, pauseSource, refuseImport } from '#tasks/erp/rules/source-controls.ts'
import { redactUrl } from '#tasks/erp/rules/source-url.ts'
import { html } from '../../http/html/html.ts'
import { type Action, read } from '../action.ts'

const OfSource = z.object({ source: z.string().max(40) })
const OfImport = z.object({ import: Id })

const fetchSource: Action = {
  async question(db, given) {
    const source = await sources.findByName(db, read(OfSource, given).source)
    if (source === null) throw notFound('source')
    const text = html`A worker of the web pool fetches <code>${source.name}</code> from <code>${redactUrl(source.url)}</code>. The current data is kept until the file is complete.`
    return { title: 'Fetch this source now?', text, button: 'Fetch source' }
  },
  async perform(db, given, { actor }) {
    const { source } = read(OfSource, given)
    if ((await fetchNow(db, source, actor)) === null) throw notFound('source')
    return `Source ${source} is being fetched.`
  },
}

const pausing = (paused: boolean): Action => ({
  async question(db, given) {
    const source = await sources.findByName(db, read(OfSource, given).source)
    if (source === null) throw notFound('source')
    const text = paused
      ? html`Millrace no longer fetches <code>${source.name}</code> on schedule. The current data is kept.`
      : html`Millrace fetches <code>${source.name}</code> on schedule again.`
    return {
      title: paused ? 'Pause this source?' : 'Resume this source?',
      text,
      button: paused ? 'Pause source' : 'Resume source',
    }
  },
  async perform(db, given, { actor }) {
    const { source } = read(OfSource, given)
    if (!(await pauseSource(db, source, { paused, actor }))) throw notFound('source')
    return `Source ${source} is ${paused ? 'paused' : 'resumed'}.`
  },
})

const deciding = (take: boolean): Action => ({
  async question(db, given) {
    const one = await imports.find(db, read(OfImport, given).import)
    if (one?.state !== 'held') throw notFound('import')
    const text = html`<code>${one.file_name}</code> of register ${one.register}: ${one.error}`
    return take
      ? { title: 'Import this file?', text, button: 'Import file', grave: true }
      : { title: 'Reject this file?', text, button: 'Reject file' }
  },
  async perform(db, given, { actor }) {
    const { import: id } = read(OfImport, given)
    const done = take ? await confirmImport(db, id, actor) : await refuseImport(db, id, actor)
    if (!done) throw notFound('import')
    return take ? 'The file is being imported.' : 'File rejected. The current data is kept.'
  },
})

export const erpActions: Readonly<Record<string, Action>> = {
  'fetch-source': fetchSource,
  'pause-source': pausing(true),
  'resume-source': pausing(false),
  'confirm-import': deciding(true),
  'refuse-import': deciding(false),
}
