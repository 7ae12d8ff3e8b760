import type { MessageError } from '#sql/whatsapp/messages.ts'

const todos: Readonly<Record<string, string>> = {
  outside_service_window: 'Send an approved template. After the person answers, you can write freely for 24 hours.',
  invalid_message: 'Compare the content below with the API reference, correct it, and send a new message.',
  recipient_unreachable: 'Check the number with the person. The number may have no WhatsApp account.',
  recipient_opted_out: 'Send no marketing to this person. Utility templates are still possible.',
  number_removed: 'Connect a number, then send the message again.',
  number_refused: 'Replace the secrets of your number: WhatsApp → Your number → Replace secrets.',
  file_not_clean: 'Upload the file again, wait until it is clean, and send a new message.',
  template_parameters: 'Open the template, and give one value for each variable.',
  template_not_found: 'Check the name and the language of the template. Only approved templates can be sent.',
  template_text_too_long: 'Shorten the values of the variables.',
  template_policy: 'Change the template in accordance with Meta’s policies, and submit it under a new name.',
  template_paused: 'Wait until Meta resumes the template, or send another template.',
  template_disabled: 'Submit a new template. Meta does not enable this one again.',
  not_delivered: 'Do not send the message again. Meta limits marketing messages per person.',
  rate_limited: 'Wait a few minutes, then send the message again at a lower rate.',
  not_configured: 'Ask your operator to configure a WhatsApp number, or connect your own number.',
}

/** Returns what to do about a failed message, in one or two sentences. */
export function adviseOn({ code, retryable, upstream_status }: MessageError): string {
  const known = todos[code]
  if (known) return known
  if (retryable || (upstream_status ?? 0) >= 500) return 'Send the message again. The failure was temporary.'
  return 'Ask your operator to check the business account and the credentials in Meta’s Business Manager.'
}
