import { type Html, html, search } from './html.ts'

/**
 * Returns the link that asks for confirmation of an action: in a dialog, or on a separate page without JavaScript. `of`
 * names the object for screen readers.
 */
export function ask(
  action: string,
  given: Record<string, string | number | undefined>,
  words: string,
  of: string,
): Html {
  return html`<a class="button" data-confirm href="/ops/confirm/${action}${search(given)}">${words}<span class="unseen"> ${of}</span></a>`
}
