import type { Fault } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import type { Contact } from '#sql/email/contacts.ts'
import * as topics from '#sql/email/topics.ts'
import type { Refusal } from './stream-rules.ts'
import { getTopicRefusal } from './topic-rules.ts'

interface WithTopic {
  org_id: string
  topic?: string | null | undefined
}

export type KnownTopics = ReadonlyMap<string, topics.Topic>

const nameOf = (orgId: string, key: string): string => `${orgId} ${key}`

/** Returns the topics of these messages. */
export async function findTopics(tx: Db, messages: readonly WithTopic[]): Promise<KnownTopics> {
  const wanted = messages.flatMap(({ org_id, topic }) => (topic ? [{ org_id, key: topic }] : []))
  const found = await topics.findMany(tx, wanted)
  return new Map(found.map((topic) => [nameOf(topic.org_id, topic.key), topic]))
}

/**
 * Returns why a message cannot have its topic, or why the recipient does not get it. `mayBeGone`: true if the topic may
 * have been deleted since.
 */
export function judgeTopic(
  known: KnownTopics,
  { org_id, topic: key }: WithTopic,
  contact: Pick<Contact, 'topics'> | undefined,
  mayBeGone: boolean,
): { refusal: Refusal } | { faults: Fault[] } | undefined {
  if (!key) return undefined
  const topic = known.get(nameOf(org_id, key))
  if (!topic && mayBeGone) return undefined
  if (!topic) return { faults: [{ field: 'body.topic', issue: 'must be the key of one of your topics' }] }
  const refusal = getTopicRefusal(topic, contact)
  return refusal && { refusal }
}
