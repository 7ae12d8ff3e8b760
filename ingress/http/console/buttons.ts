import { type Html, html, search } from './html.ts'

export function ask(
  action: string,
  given: Record<string, string | number | undefined>,
  words: string,
  of: string,
): Html {
  return html`<a class="button" data-confirm href="/ops/confirm/${action}${search(given)}">${words}<span class="unseen"> ${of}</span></a>`
}
