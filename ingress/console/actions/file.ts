import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { findAny } from '#sql/files/objects.ts'
import { maxReasonLength, releaseObject } from '#tasks/files/rules/pass.ts'
import { html } from '../../http/html/html.ts'
import { type Action, read } from '../action.ts'

const OfFile = z.object({ file: Id })
const Reason = z.object({
  reason: z.string().trim().min(1, 'is required: other operators need the reason').max(maxReasonLength),
})

const reasonField = html`<div class="fields"><div class="wide"><label for="reason">Reason</label>
<input id="reason" name="reason" required maxlength="${maxReasonLength}" autocomplete="off"></div></div>`

const release: Action = {
  async question(db, given) {
    const object = await findAny(db, read(OfFile, given).file)
    if (object === null) throw notFound('file')
    const text = html`<code>${object.filename}</code> is ${object.scan_status}. After the release, the organisation can download the file until a scan finds another threat. Millrace records the operator and the reason.`
    return { title: 'Release this file?', text, button: 'Release file', grave: true, fields: reasonField }
  },
  async perform(db, given, { actor }) {
    const { file, reason } = read(OfFile.extend(Reason.shape), given)
    const released = await releaseObject(db, file, { actor, reason })
    if (released === null) throw notFound('file')
    return `File ${file}: ${released.message}`
  },
}

export const fileActions: Readonly<Record<string, Action>> = { 'release-file': release }
