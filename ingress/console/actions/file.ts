import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { findAny } from '#sql/files/objects.ts'
import { longestReason, pass } from '#tasks/files/rules/pass.ts'
import { html } from '../../http/console/html.ts'
import { type Action, read } from '../action.ts'

const OfFile = z.object({ file: Id })
const Reason = z.object({
  reason: z.string().trim().min(1, 'say why, for those who look later').max(longestReason),
})

const reasonField = html`<div class="fields"><div class="wide"><label for="reason">Why</label>
<input id="reason" name="reason" required maxlength="${longestReason}" autocomplete="off"></div></div>`

const release: Action = {
  async question(db, given) {
    const object = await findAny(db, read(OfFile, given).file)
    if (object === null) throw notFound('file')
    const text = html`<code>${object.filename}</code> is ${object.scan_status}. Its organisation can download it then, until a scan finds something else in it. Who released it and why stays on record.`
    return { title: 'Release this file?', text, button: 'Release', grave: true, fields: reasonField }
  },
  async perform(db, given, { actor }) {
    const { file, reason } = read(OfFile.extend(Reason.shape), given)
    const released = await pass(db, file, { actor, reason })
    if (released === null) throw notFound('file')
    return `File ${file}: ${released.message}`
  },
}

/** What is done to one file. */
export const fileActions: Readonly<Record<string, Action>> = { 'release-file': release }
