import { type Html, html, queryString } from '../html/html.ts'

export function confirmLink(
  action: string,
  given: Record<string, string | number | undefined>,
  words: string,
  of: string,
): Html {
  return html`<a class="button" data-confirm href="/ops/confirm/${action}${queryString(given)}">${words}<span class="unseen"> ${of}</span></a>`
}
