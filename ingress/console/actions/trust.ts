import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { importNow } from '#tasks/trust/rules/import-now.ts'
import { shownUrl } from '#tasks/trust/rules/shown-url.ts'
import { html } from '../../http/console/html.ts'
import { type Action, read } from '../action.ts'

const OfFeed = z.object({ feed: z.string().max(40) })
const ForceOption = z.object({ anyway: z.enum(['no', 'yes']).default('no') })

const anywayField = html`<div class="fields"><div><label for="anyway">When more than half of it is gone</label>
<select id="anyway" name="anyway"><option value="no">keep the old entries</option><option value="yes">take it all the same</option></select></div></div>`

const importFeed: Action = {
  async question(db, given) {
    const feed = await feeds.findByName(db, read(OfFeed, given).feed)
    if (feed === null) throw notFound('feed')
    const text = html`<code>${feed.name}</code> is fetched from <code>${shownUrl(feed.url ?? '')}</code> by a worker of pool web. Until it is whole, the old entries stay.`
    return { title: 'Import this feed now?', text, button: 'Import', fields: anywayField }
  },
  async perform(db, given, { actor }) {
    const { feed: name, anyway } = read(OfFeed.extend(ForceOption.shape), given)
    if ((await importNow(db, name, { actor, anyway: anyway === 'yes' })) === null) throw notFound('feed')
    return `Feed ${name} is being imported.`
  },
}

/** What is done to feeds of threats. */
export const trustActions: Readonly<Record<string, Action>> = { 'import-feed': importFeed }
