import type { Db } from '#sql/db.ts'
import type { Campaign } from '#sql/email/campaigns.ts'
import type { Contact } from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import { renderCampaignParts, toLiquidFields, toReason } from './liquid-campaign.ts'

/** Maximum time for the subjects of a page in milliseconds, because a transaction waits for them. */
const budgetMs = 20_000

const noUrl = 'https://unsubscribe.invalid/'

/**
 * Renders the subjects for a page of contacts, and the whole campaign for the first one, so that a campaign that cannot
 * be rendered is paused before its messages fail. Returns the fault if there is one.
 */
export async function prepareLiquid(
  tx: Db,
  { id, org_id, subject }: Campaign,
  wanted: readonly Contact[],
): Promise<{ subjects: string[] } | { fault: string }> {
  const [content] = await contents.findContents(tx, [id])
  const partials = content?.partials ?? {}
  const until = Date.now() + budgetMs
  const subjects: string[] = []
  for (const contact of wanted) {
    const isFirst = subjects.length === 0
    if (!isFirst && !subject.includes('{')) {
      subjects.push(subject)
      continue
    }
    const sources = { subject, ...(isFirst && { html: content?.html ?? null, text: content?.text ?? null }) }
    const made = await renderCampaignParts(org_id, sources, partials, toLiquidFields(contact), noUrl)
    if ('faults' in made) return { fault: toReason(made.faults) }
    if (Date.now() > until) return { fault: 'its subject takes too much time' }
    subjects.push(made.parts.subject ?? '')
  }
  return { subjects }
}
