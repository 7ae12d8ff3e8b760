import { sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import { deleted, type PersonTable } from '../people/person-table.ts'

const isPerson = ({ org_id, person_id }: PersonKeys) => sql.fragment`
  old.org_id = ${org_id} and old.user_id = ${person_id}`

const ofEvents = (person: PersonKeys) => sql.fragment`
  old.event_id in (select old.id from notify.events as old where ${isPerson(person)})`

/** Posts to chat services can outlive their events, so they are found by the customer's own ID of the person. */
const isPosted = ({ org_id, user_id }: PersonKeys) => sql.fragment`
  old.org_id = ${org_id} and old.user_id = ${user_id}`

/** Tables of notify with rows of people. The directory is first, so that waiting runs find no address. */
export const personTables: readonly PersonTable[] = [
  deleted('notify', 'people', isPerson),
  deleted('notify', 'topic_people', isPerson),
  deleted('notify', 'broadcast_people', isPerson),
  deleted('notify', 'throttles', isPerson),
  deleted('notify', 'preferences', isPerson),
  deleted('notify', 'digests', isPerson),
  deleted('notify', 'runs', isPerson, ['notify.run_steps', 'notify.run_fetches']),
  deleted('notify', 'copies', ofEvents),
  deleted('notify', 'chat_messages', isPosted),
  deleted('notify', 'inbox', isPerson),
  deleted('notify', 'events', isPerson),
  deleted('notify', 'users', isPerson),
]
