/** What stands for the address of the page on which a contact confirms. */
export const confirmVariable = '{{confirm_url}}'

/** What is wrong with the placeholders of a message that asks; undefined when nothing is. */
export function faultOfPlaceholders(html: string): string | undefined {
  const names = [...html.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name = '']) => name.trim())
  const other = names.find((name) => name !== 'confirm_url')
  if (other !== undefined)
    return `has the placeholder {{${other.slice(0, 60)}}}, but only ${confirmVariable} is allowed`
  return names.length > 0 ? undefined : `must have a link to ${confirmVariable}, where the contact confirms`
}

/** The message that asks, unless a caller gives another; plain, as it goes to people who may not know the sender well. */
export const defaultMessage = {
  subject: 'Would you like to hear from us?',
  html: `<p>Hello,</p>
<p>we have your address on our list, and would like to write to you only if that is what you want.</p>
<p><a href="${confirmVariable}">Yes, write to me</a></p>
<p>If you do nothing, we will not write to you.</p>
`,
  text: `Hello,

we have your address on our list, and would like to write to you only if that
is what you want. If so, please confirm it on this page:

${confirmVariable}

If you do nothing, we will not write to you.
`,
}

const placeholder = /\{\{\s*confirm_url\s*\}\}/g

/** Whether a text has a place for the address of the page on which a contact confirms. */
export const hasConfirmLink = (text: string): boolean => text.search(placeholder) >= 0

/** Characters that a part has at most with the address in it: an address that stands in it many times must not fill the memory. */
const mostFilled = 2 * 1024 * 1024

/** What is wrong with a part as it is with an address in each of its places; undefined when nothing is. */
export function faultOfLength(part: string, url: string): string | undefined {
  const length = [...part.matchAll(placeholder)].reduce((sum, [said]) => sum + url.length - said.length, part.length)
  return length > mostFilled
    ? `must have at most ${mostFilled} characters after ${confirmVariable} is filled in`
    : undefined
}

/** Parts of a message with the address of one contact's page in them; a part that there is none of stays so. */
export const fillIn = <Html extends string | undefined, Text extends string | null | undefined>(
  { html, text }: { html: Html; text: Text },
  url: string,
) => ({
  // An address of ours has no character that HTML would escape.
  html: filled(html, url),
  text: filled(text, url),
})

const filled = <T extends string | null | undefined>(part: T, url: string) =>
  (typeof part === 'string' ? part.replaceAll(placeholder, () => url) : part) as T extends string ? string : T
