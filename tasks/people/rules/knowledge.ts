import type { Db } from '#sql/db.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import * as contacts from '#sql/email/contacts.ts'
import { everything } from '#sql/filters.ts'
import * as checks from '#sql/identity/checks.ts'
import * as directory from '#sql/notify/people.ts'
import * as preferences from '#sql/notify/preferences.ts'
import * as consentChanges from '#sql/people/consent-changes.ts'
import * as keys from '#sql/people/keys.ts'
import * as installations from '#sql/push/installations.ts'
import * as users from '#sql/push/users.ts'
import * as optOuts from '#sql/sms/opt-outs.ts'
import * as recipients from '#sql/whatsapp/recipients.ts'
import { type Consent, getEmailConsent, getPushConsent, getSmsConsent, getWhatsappConsent } from './consent.ts'

/** Maximum number of rows of one kind. */
const most = 100

export interface Knowledge {
  keys: keys.PersonKeys
  emails: readonly keys.PersonAddress[]
  phones: readonly keys.PersonAddress[]
  directory: directory.Person | null
  contacts: readonly contacts.Contact[]
  suppressions: readonly suppressions.Suppression[]
  pushUsers: readonly users.User[]
  devices: readonly installations.Installation[]
  preferences: readonly preferences.Preference[]
  recipients: readonly recipients.Recipient[]
  checks: readonly checks.Check[]
  consent: Readonly<Record<consentChanges.Channel, Consent>>
}

/** Returns what each area knows about a person. `null` if no area knows the person. */
export async function readKnowledge(db: Db, person: keys.PersonName): Promise<Knowledge | null> {
  const { org_id, user_id, person_id } = person
  if (!(await keys.isKnown(db, person))) return null
  const found = await keys.findKeys(db, person)
  const ofContacts = await contacts.listForPerson(db, found, most)
  const addresses = [...new Set([...found.emails, ...ofContacts.map(({ email }) => email)])]
  const suppressed = await suppressions.findMany(
    db,
    addresses.map((email) => ({ org_id, email })),
  )
  const pushUsers = await users.listByIds(db, org_id, found.push_ids)
  const devices = await installations.listForUsers(
    db,
    pushUsers.map(({ id }) => id),
    most,
  )
  const page = { where: everything, before: undefined, limit: most }
  const ofPhones = await recipients.listForPerson(db, found, most)
  const phones = [...new Set([...found.phones, ...ofPhones.map(({ phone }) => phone)])]
  const smsOptOuts = await optOuts.listForPhones(db, org_id, phones)
  const smsReport = await consentChanges.findLatest(db, { org_id, user_id, channel: 'sms' })
  return {
    keys: found,
    emails: await keys.listEmails(db, person),
    phones: await keys.listPhones(db, person),
    directory: await directory.find(db, { org_id, user_id: person_id }),
    contacts: ofContacts,
    suppressions: suppressed,
    pushUsers,
    devices,
    preferences: await preferences.list(db, { org_id, user_id: person_id }, page),
    recipients: ofPhones,
    checks: await checks.list(db, org_id, user_id),
    consent: {
      email: getEmailConsent(ofContacts, suppressed),
      push: getPushConsent(pushUsers, devices),
      whatsapp: getWhatsappConsent(ofPhones),
      sms: getSmsConsent(smsOptOuts, smsReport),
    },
  }
}
