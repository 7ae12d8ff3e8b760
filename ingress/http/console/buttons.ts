import { type Html, html, search } from './html.ts'

/**
 * The link that asks for an action's word of confirmation: in a dialog, or on a page of its own without script. `of` says
 * for whom cannot see which row it stands in.
 */
export function ask(
  action: string,
  given: Record<string, string | number | undefined>,
  words: string,
  of: string,
): Html {
  return html`<a class="button" data-confirm href="/ops/confirm/${action}${search(given)}">${words}<span class="unseen"> ${of}</span></a>`
}
