import type { DueRun } from '#sql/notify/runs.ts'
import type { Text } from '#sql/notify/texts.ts'
import type { ChannelStep } from '#sql/notify/workflow-steps.ts'
import { maxSmsText } from './accept-sms.ts'
import type { Facts } from './conditions.ts'
import { listLocales } from './locales.ts'
import type { StepContext } from './step-ground.ts'
import { fillPlaceholders } from './text-placeholders.ts'

/** Maximum number of characters of titles and bodies, the same as for events. */
const [maxTitle, maxBody] = [300, 10_000]

export interface StepMessage {
  title: string
  body: string | null
  url: string | null
  /** Short text for SMS. `null`: title and body. */
  sms: string | null
  text: Text | undefined
}

export function getRunFacts(run: DueRun, ground: StepContext): Facts {
  const { person, standing, gathered, trace } = ground
  const { name, email, phone, locale, time_zone, data } = person ?? {}
  const texts = (values: Record<string, string | null | undefined>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value ?? '']))
  return {
    ...texts({ type: run.type, product_key: run.product_key, title: run.title, body: run.body, url: run.url }),
    count: String(gathered.count),
    items: itemsOf(gathered),
    inbox: standingWord(standing),
    data: run.data,
    person: { ...texts({ name, email, phone, locale, time_zone }), data: data ?? {} },
    channels: Object.fromEntries(trace.flatMap(({ channel, state }) => (channel === null ? [] : [[channel, state]]))),
  }
}

/** Returns the state of an inbox item as a word. Empty without an item. */
function standingWord(item: StepContext['standing']): string {
  if (!item) return ''
  if (item.archived_at) return 'archived'
  if (item.read_at) return 'read'
  return item.seen_at ? 'seen' : 'unseen'
}

function itemsOf({ count, events }: StepContext['gathered']): string {
  const lines = events.map(({ title }) => `* ${title}`)
  return [...lines, ...(count > lines.length ? [`And ${count - lines.length} more.`] : [])].join('\n')
}

/**
 * Returns the message of a step: its text in the person’s language, otherwise in the fallback language, otherwise the
 * text of the event.
 */
export function renderStepMessage(step: ChannelStep, run: DueRun, ground: StepContext, facts: Facts): StepMessage {
  const type = step.text ?? run.type
  const text = listLocales(ground.person?.locale, ground.version?.fallback_locale)
    .map((locale) => ground.textOf(type, locale))
    .find((one) => one !== undefined)
  if (!text) return { ...untold(run, ground), url: run.url, sms: null, text: undefined }
  const title = fillPlaceholders('subject', text.title, facts, maxTitle).trim()
  const body = text.body === null ? null : fillPlaceholders('text', text.body, facts, maxBody)
  const sms = text.sms === null ? '' : fillPlaceholders('text', text.sms, facts, maxSmsText).trim()
  return {
    title: title === '' ? run.title : title,
    body: body === '' ? null : body,
    url: run.url,
    sms: sms === '' ? null : sms,
    text,
  }
}

function untold({ title, body }: DueRun, { gathered }: StepContext): Pick<StepMessage, 'title' | 'body'> {
  if (gathered.count <= 1) return { title, body }
  const more = ` (and ${gathered.count - 1} more)`
  return {
    title: `${[...title].slice(0, maxTitle - more.length).join('')}${more}`,
    body: [...itemsOf(gathered)].slice(0, maxBody).join(''),
  }
}
