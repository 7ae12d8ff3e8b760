import type { Asset } from '#sql/video/assets.ts'
import * as embedding from '#sql/video/embedding.ts'
import { getOpenBase, getPublicBase } from '#tasks/video/rules/open-url.ts'
import type { PageCall } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { type Html, html } from '../../http/html/html.ts'
import { copyable } from '../../http/html/parts.ts'
import { allowedSites, embedCodes, iframeCode, playerCode } from '../../playback/embed-code.ts'
import { isOpen, section, titleOf } from './videos.ts'

type Call = Pick<PageCall<unknown, unknown>, 'db' | 'host' | 'member' | 'services'>

/** Renders how a video is put into a web page: code to copy, or the call that creates a token for a viewer. */
export async function embedPart({ db, host, member, services }: Call, asset: Asset): Promise<Html> {
  const base = getPublicBase(host)
  const title = titleOf(asset)
  const sites = allowedSites(await embedding.find(db, member.orgId), `${section.path}/embedding`)
  if (asset.visibility === 'private')
    return around(html`<p class="lead">No one can watch a private video. To embed it, change its visibility.</p>`)
  if (!isOpen(asset)) {
    const path = { assetId: asset.id }
    return around(html`<p class="lead">Each viewer needs a token. Your server creates the token, and your page gives it to the player.</p>
${embedCodes([['Player element', playerCode(base, { token: 'TOKEN' }, title)]])}
<p class="hint">Replace <code>TOKEN</code> with <code>token</code> from the response of <code>POST ${base}/v1/stream/assets/${asset.id}/playback-sessions</code>. The response also has <code>embedUrl</code> for an iframe.</p>
${apiCall(services, 'video.playback-sessions.mint', { path, body: { expiresInSeconds: 3600 } })}
${sites}`)
  }
  const open = getOpenBase(host, asset.id)
  return around(html`${embedCodes([
    ['Iframe', iframeCode(`${open}/embed`, title)],
    ['Player element', playerCode(base, { 'playback-id': asset.id }, title)],
  ])}
${sites}
<dl class="facts"><div><dt>Player page</dt><dd>${copyable(`${open}/embed`, 'player URL')}</dd></div>
<div><dt>HLS playlist</dt><dd>${copyable(`${open}/master.m3u8`, 'playlist URL')}</dd></div></dl>`)
}

const around = (content: Html): Html =>
  html`<section aria-labelledby="embed"><h2 id="embed">Embed</h2>${content}</section>`
