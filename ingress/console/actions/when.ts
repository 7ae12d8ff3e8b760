import { z } from 'zod'
import { LocalTime } from '#lib/input-types.ts'
import { html } from '../../http/html/html.ts'

const delays = { '0': 'now', '300': 'in 5 minutes', '3600': 'in an hour', '21600': 'in 6 hours', '86400': 'in a day' }

export const DueTime = z
  .object({
    delay: z.enum(Object.keys(delays) as [string, ...string[]]).default('0'),
    at: z.union([z.literal(''), LocalTime]).default(''),
  })
  .transform(({ delay, at }) => (at === '' ? new Date(Date.now() + Number(delay) * 1000) : new Date(`${at}Z`)))

export const whenFields = html`<div class="fields">
<div><label for="delay">Start</label><select id="delay" name="delay">${Object.entries(delays).map(
  ([seconds, words]) => html`<option value="${seconds}">${words}</option>`,
)}</select></div>
<div><label for="at">Or time (UTC)</label><input id="at" name="at" type="datetime-local"></div>
</div>`
