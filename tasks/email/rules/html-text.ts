import { convert } from 'html-to-text'

/** Returns the plain text of an email that has only HTML. */
export const textOfHtml = (html: string): string =>
  convert(html, {
    wordwrap: 78,
    limits: { maxInputLength: 2 ** 20, maxDepth: 100, ellipsis: '' },
    selectors: [
      { selector: 'img', format: 'skip' },
      // The preheader would appear twice at the start of the text.
      { selector: '[data-preheader]', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    ],
  })

/** Maximum length of HTML that is converted within a request. Longer HTML needs a thread of its own. */
const mostInRequest = 32_768

/** Returns the plain text, or null if the HTML is too long to be converted within a request. */
export const quickTextOf = (html: string): string | null => (html.length > mostInRequest ? null : textOfHtml(html))
