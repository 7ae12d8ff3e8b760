export const confirmVariable = '{{confirm_url}}'

export function findPlaceholderFault(html: string): string | undefined {
  const names = [...html.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name = '']) => name.trim())
  const other = names.find((name) => name !== 'confirm_url')
  if (other !== undefined)
    return `has the placeholder {{${other.slice(0, 60)}}}, but only ${confirmVariable} is allowed`
  return names.length > 0 ? undefined : `must have a link to ${confirmVariable}, where the contact confirms`
}

/** Default message. It is plain, because recipients may not know the sender well. */
export const defaultMessage = {
  subject: 'Would you like to hear from us?',
  html: `<p>Hello,</p>
<p>your address is on our contact list. We will email you only if you confirm.</p>
<p><a href="${confirmVariable}">Yes, send me email</a></p>
<p>If you do nothing, we will not email you.</p>
`,
  text: `Hello,

your address is on our contact list. We will email you only if you confirm.
To confirm, open this page:

${confirmVariable}

If you do nothing, we will not email you.
`,
}

const placeholder = /\{\{\s*confirm_url\s*\}\}/g

export const hasConfirmLink = (text: string): boolean => text.search(placeholder) >= 0

/**
 * Maximum number of characters of a part with the URL filled in, so that a part with many placeholders does not fill
 * the memory.
 */
const mostFilled = 2 * 1024 * 1024

export function findLengthFault(part: string, url: string): string | undefined {
  const length = [...part.matchAll(placeholder)].reduce((sum, [said]) => sum + url.length - said.length, part.length)
  return length > mostFilled
    ? `must have at most ${mostFilled} characters after ${confirmVariable} is filled in`
    : undefined
}

/** Fills in the confirmation URL. Missing parts stay missing. */
export const fillConfirmUrl = <Html extends string | undefined, Text extends string | null | undefined>(
  { html, text }: { html: Html; text: Text },
  url: string,
) => ({
  // The URLs contain no characters that HTML would escape.
  html: filled(html, url),
  text: filled(text, url),
})

const filled = <T extends string | null | undefined>(part: T, url: string) =>
  (typeof part === 'string' ? part.replaceAll(placeholder, () => url) : part) as T extends string ? string : T
