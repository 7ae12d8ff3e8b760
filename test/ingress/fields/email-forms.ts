import { type Form, fieldsOf, type Made, message, page, people, sender } from './form.ts'
import { uniqueText } from './samples.ts'

type Fields = Record<string, unknown>

const asMjml = { mjml: 'Instead of HTML.' }
const mjml = () =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${uniqueText()}</mj-text></mj-column></mj-section></mj-body></mjml>`
const contentOfMail = fieldsOf('text html reply_to headers attachments', 'Reads do not show the content.')
const conditions = () => ({
  conditions: [{ field: 'tag', op: 'has', value: uniqueText() }],
  groups: [{ match: 'all', conditions: [{ field: `attributes.${uniqueText()}`, op: 'eq', value: uniqueText() }] }],
})
const topicOf = (made: Made) => made('/send/v1/topics', 'key')
const campaign = (made: Made) => ({ from_email: sender(), html: `<p>${uniqueText()}</p>`, topic: topicOf(made) })
const signUpForm: Form = {
  values: (made) => ({
    from_email: sender(),
    topics: [topicOf(made)],
    guard_site_id: made('/v1/guard/sites'),
    success_url: page(),
  }),
}
const listOf = (row: () => Fields): Form => ({
  values: () => ({ rows: [{ email: people(), ...row() }] }),
  unshown: { rows: 'A task reads the rows.' },
})

export const emailForms: Readonly<Record<string, Form>> = {
  'email.contacts.update': { unshown: { remove_tags: 'Removes.' }, unexported: { remove_tags: 'Removes.' } },
  'email.contact-imports.create': {
    values: () => ({
      contacts: [
        {
          email: people(),
          name: uniqueText(),
          attributes: { x: uniqueText() },
          tags: [uniqueText()],
          user_id: uniqueText(),
        },
      ],
    }),
    read: () => '/send/v1/contacts?limit=100',
  },
  'email.segments.create': { values: conditions },
  'email.segments.update': { values: conditions },
  'email.domains.update': {
    values: (made) => ({ tracking_host: `links.${made('/send/v1/domains', 'domain')}` }),
  },
  'email.inbound-routes.create': { values: () => ({ address: `${uniqueText()}@shop.example` }) },
  'email.campaigns.create': { values: campaign },
  'email.campaigns.update': { values: campaign },
  'email.campaigns.test': { apart: { contact: 'Fills the text for a contact.' }, values: () => ({ to: [people()] }) },
  // Messages to people who have not chosen are sent.
  'email.topics.create': { values: () => ({ default_state: 'subscribed' }) },
  'email.topics.update': { values: () => ({ default_state: 'subscribed' }) },
  'email.forms.create': signUpForm,
  'email.forms.update': signUpForm,
  'email.contact-topics.set': {
    values: (made) => ({ topics: { [topicOf(made)]: 'unsubscribed' } }),
    read: () => '/send/v1/contacts?limit=100',
  },
  'email.suppressions.imported': listOf(() => ({ reason: 'bounce', detail: uniqueText() })),
  'email.consents.create': listOf(() => ({
    ...{ source: uniqueText(), given_at: '2025-05-03T09:12:00Z', ip: '192.0.2.7', text_version: uniqueText() },
    ...{ name: uniqueText(), topics: uniqueText() },
  })),
  'email.messages.create': {
    apart: {
      ...fieldsOf('template_id template', 'Instead of a subject and texts.'),
      variables: 'For a template.',
      topic: 'Not together with copies.',
    },
    values: message,
    unshown: { ...contentOfMail, template: 'Shown as `template_id`.' },
    unexported: { template: 'Stored as `template_id`.' },
    also: [
      (made) => ({
        stream: 'transactional',
        from: { email: sender() },
        to: people(),
        template_id: made('/send/v1/templates'),
        topic: topicOf(made),
      }),
      (made) => ({
        stream: 'transactional',
        from: { email: sender() },
        to: people(),
        template: made('/send/v1/templates', 'alias'),
      }),
    ],
  },
  'email.templates.create': {
    apart: asMjml,
    also: [() => ({ name: uniqueText(), subject: uniqueText(), alias: uniqueText(), mjml: mjml() })],
  },
  'email.templates.update': { apart: asMjml, also: [() => ({ mjml: mjml() })] },
  'email.template-drafts.update': {
    apart: asMjml,
    also: [() => ({ mjml: mjml() })],
    unexported: { html: 'The second body replaces it.' },
  },
  'email.message-batches.create': {
    values: () => ({ messages: [{ ...message(), headers: undefined, attachments: undefined }] }),
    unshown: contentOfMail,
    read: () => '/send/v1/messages?limit=100',
  },
}
