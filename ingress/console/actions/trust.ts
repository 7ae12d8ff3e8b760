import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { importNow } from '#tasks/trust/rules/import-now.ts'
import { redactUrl } from '#tasks/trust/rules/shown-url.ts'
import { html } from '../../http/html/html.ts'
import { type Action, read } from '../action.ts'

const OfFeed = z.object({ feed: z.string().max(40) })
const ForceOption = z.object({ anyway: z.enum(['no', 'yes']).default('no') })

const anywayField = html`<div class="fields"><div><label for="anyway">If more than half of the entries are missing</label>
<select id="anyway" name="anyway"><option value="no">keep the old entries</option><option value="yes">import the feed anyway</option></select></div></div>`

const importFeed: Action = {
  async question(db, given) {
    const feed = await feeds.findByName(db, read(OfFeed, given).feed)
    if (feed === null) throw notFound('feed')
    const text = html`A worker of the web pool fetches <code>${feed.name}</code> from <code>${redactUrl(feed.url ?? '')}</code>. The current entries are kept until the feed is complete.`
    return { title: 'Import this feed now?', text, button: 'Import feed', fields: anywayField }
  },
  async perform(db, given, { actor }) {
    const { feed: name, anyway } = read(OfFeed.extend(ForceOption.shape), given)
    if ((await importNow(db, name, { actor, anyway: anyway === 'yes' })) === null) throw notFound('feed')
    return `Feed ${name} is being imported.`
  },
}

export const trustActions: Readonly<Record<string, Action>> = { 'import-feed': importFeed }
