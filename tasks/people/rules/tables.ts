import { personTables as account } from '#sql/account/person.ts'
import { personTables as bots } from '#sql/bots/person.ts'
import { personTables as email } from '#sql/email/person.ts'
import { personTables as identity } from '#sql/identity/person.ts'
import { personTables as live } from '#sql/live/person.ts'
import { personTables as moving } from '#sql/moving/person.ts'
import { personTables as notify } from '#sql/notify/person.ts'
import { personTables as people } from '#sql/people/person.ts'
import type { PersonTable } from '#sql/people/person-table.ts'
import { personTables as playback } from '#sql/playback/person.ts'
import { personTables as push } from '#sql/push/person.ts'
import { personTables as rooms } from '#sql/rooms/person.ts'
import { personTables as sms } from '#sql/sms/person.ts'
import { personTables as verify } from '#sql/verify/person.ts'
import { personTables as voice } from '#sql/voice/person.ts'
import { personTables as whatsapp } from '#sql/whatsapp/person.ts'

/** Tables of all areas with rows of people, in the order of erasure: consent first, then what could start messages. */
export const personTables: readonly PersonTable[] = [
  ...email,
  ...notify,
  ...push,
  ...whatsapp,
  ...sms,
  ...verify,
  ...bots,
  ...voice,
  ...identity,
  ...rooms,
  ...live,
  ...playback,
  ...account,
  ...moving,
  ...people,
]

/** Returns why rows of a table are kept or anonymised. `null` if they are deleted. */
export const findReason = (name: string, action: PersonTable['action']): string | null =>
  personTables.find((table) => table.name === name && table.action === action)?.why ?? null
