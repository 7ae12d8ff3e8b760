import type { Provider } from '#sql/moving/imports.ts'
import { type Given, type GivenContact, instantOf } from '../providers/source.ts'

/** A record of a CSV file: values by the name of the column, in lower case, without spaces and underscores. */
export interface CsvRecord {
  line: number
  values: Readonly<Record<string, string>>
  /** Names of the columns as written, by the form above. */
  names: Readonly<Record<string, string>>
}

const first = (values: Readonly<Record<string, string>>, ...names: string[]): string =>
  names.map((name) => values[name]?.trim() ?? '').find((value) => value !== '') ?? ''

const emailOf = ({ values }: CsvRecord) => first(values, 'email', 'emailaddress', 'recipient', 'address')

const providerNames: Readonly<Record<Provider, string>> = {
  resend: 'Resend',
  postmark: 'Postmark',
  sendgrid: 'SendGrid',
  onesignal: 'OneSignal',
  mux: 'Mux',
}

function reasonOf(text: string): 'bounce' | 'complaint' | 'manual' {
  const word = text.toLowerCase()
  if (/spam|complain|abuse/.test(word)) return 'complaint'
  return /bounce|invalid|block/.test(word) ? 'bounce' : 'manual'
}

export function suppressionOf(provider: Provider, record: CsvRecord): Given {
  const { values } = record
  const email = emailOf(record)
  const words = first(values, 'suppressionreason', 'type', 'suppressiontype', 'reason', 'origin', 'status')
  const reason = reasonOf(words)
  const detail = `${providerNames[provider]}${words === '' ? '' : `: ${words.slice(0, 400)}`}`
  const created_at = instantOf(first(values, 'createdat', 'created', 'date', 'timestamp'))
  return {
    ...{ part: 'suppressions', id: `${email} ${reason}`, label: email },
    item: { email, reason, detail, created_at },
  }
}

const ownColumns = new Set(['email', 'emailaddress', 'recipient', 'address', 'name', 'fullname', 'id', 'contactid'])

const isTrue = (text: string) => /^(true|yes|1|unsubscribed)$/i.test(text.trim())

export function contactOf(record: CsvRecord): Given {
  const { values, names } = record
  const email = emailOf(record)
  const [firstName, lastName] = [first(values, 'firstname'), first(values, 'lastname')]
  const name = first(values, 'name', 'fullname') || [firstName, lastName].filter(Boolean).join(' ') || null
  const attributes: GivenContact['attributes'] = {}
  for (const [column, value] of Object.entries(values)) {
    if (value.trim() === '' || ownColumns.has(column) || column === 'unsubscribed' || column === 'status') continue
    const attribute = (names[column] ?? column)
      .trim()
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]+/g, '_')
      .slice(0, 64)
    if (
      /^[a-z_]/.test(attribute) &&
      attribute !== '__proto__' &&
      attribute !== 'constructor' &&
      attribute !== 'prototype'
    )
      attributes[attribute] = value.trim().slice(0, 1_000)
  }
  const is_unsubscribed = isTrue(values.unsubscribed ?? '') || /^unsubscribed$/i.test((values.status ?? '').trim())
  return {
    // A person can be in several lines. A line that unsubscribes the person always counts.
    ...{ part: 'contacts', id: is_unsubscribed ? `${email} unsubscribed` : email, label: email },
    item: { email, name: name?.slice(0, 200) ?? null, attributes, tags: [], is_unsubscribed },
  }
}
