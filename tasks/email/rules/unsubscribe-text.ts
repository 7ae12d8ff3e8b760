const placeholder = /\{\{\s*unsubscribe_url\s*\}\}/g

/** Characters that a part has at most with the address in it: one that stands in it many times must not fill the memory. */
const mostFilled = 2 * 1024 * 1024

/** What is wrong with a part as it is with an address in each of its places; undefined when nothing is. */
export function faultOfUnsubscribeLength(part: string, url: string): string | undefined {
  const length = [...part.matchAll(placeholder)].reduce((sum, [said]) => sum + url.length - said.length, part.length)
  return length > mostFilled
    ? `must have at most ${mostFilled} characters after {{unsubscribe_url}} is filled in`
    : undefined
}

/** Parts of a message of marketing with the address of its page in them; of any other they stay as they are. */
export const withUnsubscribeUrl = (
  { html, text }: { html: string | undefined; text: string | undefined },
  url: string | undefined,
) => ({ html: filled(html, url), text: filled(text, url) })

// An address of ours has no character that HTML would escape.
const filled = (part: string | undefined, url: string | undefined): string | undefined =>
  url === undefined ? part : part?.replaceAll(placeholder, () => url)
