import type { Contact, TopicState } from '#sql/email/contacts.ts'
import type { Stream } from '#sql/email/messages.ts'
import type { Topic } from '#sql/email/topics.ts'
import type { Refusal } from './stream-rules.ts'

/** Streams whose messages can have a topic. */
export const hasTopics = (stream: Stream): boolean => stream === 'subscribed' || stream === 'transactional'

/** Returns the choice of a contact, or the default of the topic. */
export const getTopicState = (
  { key, default_state }: Pick<Topic, 'key' | 'default_state'>,
  contact: Pick<Contact, 'topics'> | undefined,
): TopicState => (contact && Object.hasOwn(contact.topics, key) ? contact.topics[key] : undefined) ?? default_state

/** Returns why a recipient does not get messages of a topic. */
export function getTopicRefusal(topic: Topic, contact: Pick<Contact, 'topics'> | undefined): Refusal | undefined {
  if (getTopicState(topic, contact) === 'subscribed') return undefined
  const message = `The recipient is not subscribed to the topic ${topic.key}.`
  return { why: 'topic_unsubscribed', message, details: { topic: topic.key } }
}

/** True if a preference page shows the topic to the contact. */
export const isShown = (topic: Topic, contact: Pick<Contact, 'topics'> | undefined): boolean =>
  topic.visibility === 'public' || getTopicState(topic, contact) === 'subscribed'
