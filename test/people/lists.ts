import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import type { House } from './people.ts'

/** Rows of a person in the parts of email and notify that have their own tables: lists, forms, opens, topics, broadcasts, chats. */
export async function inLists(
  db: DatabasePool,
  house: House,
  user: string,
  { email, messageId }: { email: string; messageId: string },
): Promise<void> {
  const { ask, orgId, domain } = house
  const [form, list, connection, workflow] = [newId(), newId(), newId(), newId()]
  await db.query(sql.typeAlias('void')`
    insert into email.forms (id, org_id, sandbox, name, title, consent_text, text_version, from_email, subject)
    values (${form}, ${orgId}, false, 'News', 'News', 'Yes', '1', ${`shop@${domain}`}, 'Confirm')`)
  await db.query(sql.typeAlias('void')`
    insert into email.sign_ups (id, org_id, form_id, email, written, source, title, consent_text, text_version, ip, network)
    values (${newId()}, ${orgId}, ${form}, ${email}, ${email}, 'form', 'News', 'Yes', '1', '192.0.2.1', '192.0.2.0/24')`)
  await db.query(sql.typeAlias('void')`
    insert into email.imports (id, org_id, sandbox, kind, rows) values (${list}, ${orgId}, false, 'consents', 2)`)
  await db.query(sql.typeAlias('void')`
    insert into email.import_rows (import_id, line, org_id, fields, email, outcome)
    values (${list}, 1, ${orgId}, ${sql.jsonb({ email })}, ${email}, 'existing'),
      (${list}, 2, ${orgId}, ${sql.jsonb({ email: email.toUpperCase() })}, null, null)`)
  await db.query(sql.typeAlias('void')`
    insert into email.engagements (message_id, org_id, kind, machine, count, first_at, last_at)
    values (${messageId}, ${orgId}, 'open', false, 1, now(), now())`)
  await ask('PUT /v1/notify/topics/news', { name: 'News' })
  await ask('PUT /v1/notify/topics/news/people', { user_ids: [user] })
  const content = { product_key: 'shop', type: 'release', title: 'Version 2' }
  await ask('POST /v1/notify/broadcasts', { ...content, recipients: [user, 'another'] })
  await db.query(sql.typeAlias('void')`
    insert into notify.connections (id, org_id, kind, name, url, host, state)
    values (${connection}, ${orgId}, 'slack', 'Team', 'sealed', 'hooks.slack.com', 'active')`)
  await db.query(sql.typeAlias('void')`
    insert into notify.chat_messages (id, org_id, connection_id, user_id, product_key, type, title, status)
    values (${newId()}, ${orgId}, ${connection}, ${user}, 'shop', 'release', 'Version 2', 'sent')`)
  await db.query(sql.typeAlias('void')`
    insert into notify.workflows (id, org_id, key, name, product_key, type, fallback_locale, steps)
    values (${workflow}, ${orgId}, 'once', 'Once', 'shop', 'once', 'en', '[]')`)
  await db.query(sql.typeAlias('void')`
    insert into notify.throttles (workflow_id, user_id, number, key, org_id)
    values (${workflow}, ${getPersonId(user)}, 1, '', ${orgId})`)
}
