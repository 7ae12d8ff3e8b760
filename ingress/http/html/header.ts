import { docsHref } from '../hosts.ts'
import type { Frame, Section, Viewer } from './frame.ts'
import { type Content, type Html, html } from './html.ts'
import { icon } from './icons.ts'

export const brand = (href: string): Html =>
  html`<a class="brand" href="${href}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 8c3-3 6-3 9 0s6 3 9 0M3 13c3-3 6-3 9 0s6 3 9 0M3 18c3-3 6-3 9 0s6 3 9 0"/></svg><span>Millrace</span></a>`

export const guideHref = (guide: string): string => `${docsHref}/guides/${guide}`

/** `context` is displayed next to the name of the product: the organisation, and the menu to change it. */
export function renderHeader(
  frame: Frame,
  { viewer, section, context }: { viewer: Viewer; section: Section | undefined; context?: Content },
): Html {
  return html`<header class="bar">
${brand(frame.base)}
${context}
<p class="stream" id="stream" role="status" hidden></p>
<nav class="tools" aria-label="Search and help">
<a class="find" id="find" href="${frame.search ?? docsHref}"${frame.search !== undefined && html` data-find="${frame.search}.json"`}>${icon('search')}<span>Search</span><kbd aria-hidden="true" hidden></kbd></a>
<a href="${docsHref}">${icon('book')}<span>Docs</span></a>
<a href="${guideHref(section?.guide ?? (frame.base === '/ops' ? 'console' : 'dashboard'))}">${icon('help')}<span>Help</span></a>
</nav>
${accountMenu(frame, viewer)}
</header>`
}

/** With JavaScript, the menu also switches the theme. Without it, pages have the theme of the device. */
const accountMenu = (frame: Frame, { csrf, label, hint, account }: Viewer): Html => html`<details class="drop account">
<summary title="${label}">${icon('person')}<span class="who">${label}</span></summary>
<div class="card">
<p><strong>${label}</strong><br><span class="quiet">${hint}</span></p>
${account && html`<p><a href="${account}">Your account</a></p>`}
<fieldset class="theme" id="theme" hidden><legend>Theme</legend>
${['System', 'Light', 'Dark'].map((name) => html`<label><input type="radio" name="theme" value="${name.toLowerCase()}"><span>${name}</span></label>`)}
</fieldset>
<form method="post" action="${frame.base}/sign-out"><input type="hidden" name="token" value="${csrf}"><button class="plain">Sign out</button></form>
</div></details>`
