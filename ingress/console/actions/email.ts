import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as imports from '#sql/email/imports.ts'
import { vouchForImport } from '#tasks/email/confirm-import.ts'
import { html } from '../../http/html/html.ts'
import { mustFind } from '../../http/must-find.ts'
import { type Action, type ActionFields, read } from '../action.ts'

const OfImport = z.object({ import: Id })
const Reason = z.object({ reason: z.string().trim().min(1, 'is required').max(500) })

async function importOf(db: DatabasePool, given: ActionFields): Promise<imports.Import> {
  const found = await mustFind(imports.findAny(db, read(OfImport, given).import), 'import')
  if (found.kind !== 'consents') throw notFound('import')
  return found
}

const reasonField = html`<div class="fields"><div class="wide"><label for="reason">Reason (shown to the organisation)</label>
<input id="reason" name="reason" maxlength="500" autocomplete="off" required></div></div>`

const vouchImport: Action = {
  async question(db, given) {
    const { rows } = await importOf(db, given)
    const text = html`The import has ${rows} rows. Its contacts are confirmed and can receive marketing email. Check the evidence of consent first. You cannot undo this.`
    return { title: 'Vouch for this import?', text, button: 'Confirm contacts', grave: true, fields: reasonField }
  },
  async perform(db, given, { actor }) {
    const { id } = await importOf(db, given)
    const done = await vouchForImport(db, id, actor, read(Reason, given).reason)
    return done ? 'The contacts of the import are being confirmed.' : 'An operator has already vouched for this import.'
  },
}

export const emailActions: Readonly<Record<string, Action>> = { 'vouch-import': vouchImport }
