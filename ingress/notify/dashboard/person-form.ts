import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import * as connections from '#sql/notify/connections.ts'
import type * as people from '#sql/notify/people.ts'
import * as apps from '#sql/push/apps.ts'
import {
  checkBoxes,
  type FormState,
  linesField,
  optionalField,
  repeatedField,
  selectField,
  textField,
} from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parseData } from './example-data.ts'
import { kindTitles } from './step-icons.ts'

const text = optionalField(z.string())

/** Fields of a person, without the ID. */
export const personFields = {
  ...{ name: text, email: text, phone: text, locale: text, time_zone: text },
  ...{ push: text, push_user_id: text, data: text },
  connection_ids: repeatedField(z.string()),
}

type Given = Partial<Record<Exclude<keyof typeof personFields, 'connection_ids'>, string | undefined>> & {
  connection_ids?: readonly string[]
}

/** Returns the fields of a form as the API accepts them. */
export function toPerson(given: Given) {
  const { push, push_user_id, data: json, ...facts } = given
  const data = parseData(json)
  return {
    ...facts,
    ...(push && { push: { app_id: push, ...(push_user_id && { user_id: push_user_id }) } }),
    ...(Object.keys(data).length > 0 && { data }),
  }
}

export async function personInputs(db: Db, orgId: string, filled: FormState, stored?: people.Person): Promise<Html> {
  const chats = await connections.list(db, orgId, { where: everything, before: undefined, limit: 100 })
  const known = await apps.list(db, orgId, { only: undefined, before: undefined, limit: 100 })
  const options = [['', 'none'] as const, ...known.map(({ id, name }) => [id, name] as const)]
  const of = (value: string | null | undefined) => (value ? { otherwise: value } : {})
  const data = stored && Object.keys(stored.data).length > 0 ? JSON.stringify(stored.data, null, 2) : undefined
  return html`${textField(filled, { name: 'name', label: 'Name', ...of(stored?.name) })}
${textField(filled, { name: 'email', label: 'Email address', type: 'email', ...of(stored?.email) })}
${textField(filled, { name: 'phone', label: 'Phone number', hint: 'For WhatsApp and SMS. For example, +3725550123.', ...of(stored?.phone) })}
<div class="pair">${textField(filled, { name: 'locale', label: 'Language', hint: 'For example, de or de-AT.', ...of(stored?.locale) })}
${textField(filled, { name: 'time_zone', label: 'Time zone', hint: 'For example, Europe/Vienna.', ...of(stored?.time_zone) })}</div>
<div class="pair">${selectField(filled, { name: 'push', label: 'Push app', options, hint: 'App that has the person’s devices.', ...of(stored?.push_app_id) })}
${textField(filled, { name: 'push_user_id', label: 'ID in the push app', hint: 'Optional. Default: the ID of the person.', ...of(stored?.push_user_id) })}</div>
${chats.length > 0 && checkBoxes(filled, { name: 'connection_ids', label: 'Chat connections', options: chats.map(({ id, name, kind }) => [id, `${name} (${kindTitles[kind]})`] as const), otherwise: stored?.connection_ids ?? [], hint: 'The first connection of a kind receives the messages.' })}
${linesField(filled, { name: 'data', label: 'Data (JSON)', few: true, otherwise: data, hint: 'Optional. Values for conditions and placeholders. For example, {"plan": "gold"}.' })}`
}
