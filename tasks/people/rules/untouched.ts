const member = 'A member of the organisation or an operator, not one of the organisation’s people.'
const ownText = 'Text that the organisation writes for everybody.'
const ownAddress = 'Address or number of the organisation or of the installation.'
const hash = 'Hash of an IP address that is stored for a short time and not linked to a person.'
const notLinked = 'Not linked to a person.'
const allOrganisations =
  'Shared by all organisations. Deleted when the history of WhatsApp expires (`WHATSAPP_HISTORY_DAYS`).'

/**
 * Tables and columns whose names stand for personal data, and which an erasure does not change, with the reason. A test
 * compares this list with the database. A name is `area.table` or `area.table.column`.
 */
export const untouched: Readonly<Record<string, string>> = {
  'account.browser_sessions': member,
  'account.ceremonies': member,
  'account.identities': member,
  'account.invitations': member,
  'account.members': member,
  'account.passkeys': member,
  'account.users': member,
  'account.keys.note': ownText,
  'account.audit': 'Actions of members and keys. Its entries cannot be changed. Erasures add only their own ID.',
  'account.idempotency': 'Stored responses. They are deleted after 24 hours.',
  'account.requests':
    'Request log. It is deleted after `REQUEST_LOG_DAYS`, and has network blocks instead of IP addresses.',
  'ai.completions': 'Requests in progress, and requests with an idempotency key for a day.',
  'ai.pieces': 'Parts of responses in progress.',
  'bots.documents': ownText,
  'bots.passages': ownText,
  'bots.versions': ownText,
  'bots.unanswered': notLinked,
  'directory.viewers': hash,
  'email.address_days': ownAddress,
  'email.connections': ownAddress,
  'email.mx_sets': ownAddress,
  'email.campaigns': ownText,
  'email.dmarc_reports': 'Reports of mail servers about domains, with the address of the reporter.',
  'email.forms': ownText,
  'email.host_challenges': notLinked,
  'email.ip_pool_workers': ownAddress,
  'email.ip_pools': ownAddress,
  'email.reconfirmations': ownText,
  'email.template_drafts': ownText,
  'email.tls_reports': 'Reports of mail servers about domains, with the address of the reporter.',
  'email.template_versions': ownText,
  'email.templates': ownText,
  'email.inbound':
    'Reports of mail servers with the address of the server. They are deleted with the history of messages.',
  'email.operator_mail': 'Email to the operator of the installation.',
  'files.objects.metadata': ownText,
  'guard.assessments': hash,
  'guard.challenges': hash,
  'guard.tickets': hash,
  'guard.visitors': hash,
  'jobs.failures': 'Errors of jobs without data of people. They are deleted with the history of jobs.',
  'jobs.runs': 'Jobs contain only IDs.',
  'knowledge.chunks': ownText,
  'notify.broadcasts': ownText,
  'notify.texts': ownText,
  'people.erasures': 'The receipt. It keeps only the ID of the person, as proof of the erasure.',
  'push.templates': ownText,
  'sms.providers': ownAddress,
  'trust.listings': notLinked,
  'trust.watches': notLinked,
  'verify.settings': ownAddress,
  'video.acme_challenges': notLinked,
  'video.assets.metadata': ownText,
  'video.audience_viewers': hash,
  'video.caption_cues': ownText,
  'video.captions': ownText,
  'video.playlists': notLinked,
  'voice.numbers': ownAddress,
  'voice.switchboards': ownAddress,
  'webhooks.events': 'Sent events. They are deleted after `WEBHOOK_LOG_DAYS`.',
  'webhooks.deliveries': 'Sent events. They are deleted after `WEBHOOK_LOG_DAYS`.',
  'whatsapp.business_numbers': ownAddress,
  'whatsapp.contacts': allOrganisations,
  'whatsapp.numbers': allOrganisations,
  'whatsapp.unclaimed': allOrganisations,
  'wiki.article_versions': ownText,
  'wiki.published': ownText,
  'wiki.snapshots': ownText,
}
