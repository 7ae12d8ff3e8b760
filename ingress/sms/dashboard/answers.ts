import type { MessageError } from '#sql/sms/messages.ts'

const todos: Readonly<Record<string, string>> = {
  recipient_unreachable: 'Send the message again later. The phone may be switched off.',
  invalid_recipient: 'Check the number with the person.',
  blocked: 'Check the text and the sender with your provider. Networks block some links and senders.',
  sender_refused: 'Check the sender of the connection: it must belong to your account at the provider.',
  region_refused: 'Allow the country in your account at the provider.',
  credentials_refused: 'Replace the secrets of the connection under Providers.',
  no_credit: 'Add credit to your account at the provider, then send the message again.',
  recipient_opted_out: 'Send no more messages to this person. The person can send START to return.',
  country_not_allowed: 'Add the country under Settings, if you have customers in this country.',
  premium_not_allowed: 'Ask the person for a normal number.',
  provider_removed: 'Connect a provider, then send the message again.',
  provider_unavailable: 'Send the message again. The provider could not be reached.',
  rate_limited: 'Send fewer messages per second: lower the rate of the connection.',
  no_response: 'Look for the message at your provider before you send it again.',
  key_revoked: 'Send the message again with an active API key.',
}

/** Returns what to do about a failed message. */
export const adviseOn = ({ code }: MessageError): string =>
  todos[code] ?? 'Look for the message at your provider. The log of the provider has more details.'
