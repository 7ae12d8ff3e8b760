import type { MessageError } from '#sql/sms/messages.ts'
import type { SmsError } from '../engine.ts'
import type { Refusal } from './check-recipient.ts'

/** Maximum length of a provider's error code. */
const maxCode = 60

type Meaning = readonly [code: string, message: string]

const unreachable: Meaning = ['recipient_unreachable', 'The phone is switched off, or cannot be reached.']
const invalid: Meaning = ['invalid_recipient', 'The number does not exist, or cannot receive messages.']
const blocked: Meaning = ['blocked', 'The provider or the network blocked the message.']
const sender: Meaning = [
  'sender_refused',
  'The provider does not accept this sender. Check the sender of the connection.',
]
const region: Meaning = ['region_refused', 'Your account at the provider does not allow this country.']
const credentials: Meaning = ['credentials_refused', 'The provider rejected the credentials of the connection.']
const optedOut: Meaning = ['recipient_opted_out', 'The recipient does not accept messages of this sender.']
const funds: Meaning = ['no_credit', 'Your account at the provider has no credit.']
const spam: Meaning = ['blocked', 'The network classified the message as spam.']

/** Meanings of the error codes of Twilio and of the Messages API of Vonage. */
const meanings: Readonly<Record<string, Meaning>> = {
  ...{ 20003: credentials, 20005: credentials, 20404: credentials, 30002: credentials },
  ...{ 21211: invalid, 21214: invalid, 21217: invalid, 21614: invalid, 30005: invalid, 30006: invalid },
  ...{ 21212: sender, 21603: sender, 21606: sender, 21607: sender, 21612: sender, 21659: sender, 21661: sender },
  ...{ 30032: sender, 30034: sender, 21408: region, 21610: optedOut, 30003: unreachable, 30008: unreachable },
  ...{ 30004: blocked, 30007: spam, 30017: unreachable, 30022: unreachable },
  ...{ 1010: sender, 1020: ['refused', 'The provider rejected the content of the message.'] satisfies Meaning },
  ...{ 1022: ['refused', 'The provider rejected the content of the message.'] satisfies Meaning, 1030: unreachable },
  ...{
    1050: blocked,
    1070: unreachable,
    1100: credentials,
    1120: sender,
    1140: blocked,
    1170: invalid,
    1180: unreachable,
  },
  ...{
    1200: sender,
    1210: optedOut,
    1220: blocked,
    1230: sender,
    1240: invalid,
    1241: spam,
    1242: sender,
    1250: invalid,
  },
  ...{
    1290: invalid,
    1300: blocked,
    1330: ['failed', 'The network reported an error.'] satisfies Meaning,
    1340: unreachable,
  },
  ...{ 1380: blocked, 1420: sender, 1430: blocked, 1450: funds },
}

const byOutcome: Readonly<Record<SmsError['outcome'], Meaning>> = {
  refused: ['refused', 'The provider rejected the message.'],
  busy: ['rate_limited', 'The provider did not accept the message in time, because it received too many.'],
  unmade: ['provider_unavailable', 'The provider could not be reached.'],
  unknown: ['no_response', 'The provider did not respond. It is unknown whether the message was sent.'],
  not_configured: ['provider_removed', 'The connection was removed or its secrets cannot be read.'],
}

export function toMessageError({ outcome, code, httpStatus }: SmsError): MessageError {
  const byStatus =
    outcome === 'refused' && (httpStatus === 401 || httpStatus === 403) ? credentials : byOutcome[outcome]
  const [name, message] = (outcome === 'refused' && code !== null ? meanings[code] : undefined) ?? byStatus
  return {
    code: name,
    message,
    provider_code: (code ?? (httpStatus === null ? null : `HTTP ${httpStatus}`))?.slice(0, maxCode) ?? null,
    retryable: outcome === 'busy' || outcome === 'unmade',
  }
}

/** Returns the error of a message that the provider accepted and did not deliver. */
export function toReportedError(code: string | null): MessageError {
  const [name, message] = (code !== null && meanings[code]) || [
    'not_delivered',
    'The network did not deliver the message.',
  ]
  return { code: name, message, provider_code: code?.slice(0, maxCode) ?? null, retryable: name === unreachable[0] }
}

export const toRejection = ({ code, message }: Refusal): MessageError => ({
  code,
  message,
  provider_code: null,
  retryable: false,
})

export const organisationClosed: Refusal = { code: 'organisation_closed', message: 'The organisation is closed.' }

export const keyRevoked: Refusal = {
  code: 'key_revoked',
  message: 'The API key was revoked before the message was sent.',
}
