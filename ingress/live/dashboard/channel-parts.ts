import type { Channel } from '#sql/live/channels.ts'
import * as embedding from '#sql/video/embedding.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import type { PageCall } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { type Html, html } from '../../http/html/html.ts'
import { copyable } from '../../http/html/parts.ts'
import { allowedSites, embedCodes, playerCode } from '../../playback/embed-code.ts'
import { rtmpsUrl, rtmpUrl } from '../ingest.ts'
import { openPlaylistUrl } from '../urls.ts'
import { section } from './channels.ts'

/** Renders the steps to publish with OBS Studio, and the page that publishes from the browser. */
export function publishSteps(host: string, id: string): Html {
  const path = `${section.path}/${id}`
  const secure = rtmpsUrl(host)
  return html`<section aria-labelledby="publish"><h2 id="publish">Go live</h2>
<p class="actions spaced"><a class="button primary" href="${path}/studio">Go live from the browser</a></p>
<h3>With OBS Studio</h3>
<ol class="how-to"><li>Open <b>Settings</b>, then <b>Stream</b>. Choose <b>Custom…</b> as the service.</li>
<li>Enter the server: ${copyable(secure ?? rtmpUrl(host), 'the server URL')}</li>
<li>Enter the stream key. It was shown when the channel was created. <a href="${path}/key">Replace the stream key</a> to get a new one.</li>
<li>In <b>Output</b>, choose a keyframe interval of 2 s and the encoder H.264 with AAC audio.</li>
<li>Select <b>Start Streaming</b>. This page shows the state within seconds.</li></ol>
${secure && html`<p class="hint">For encoders without TLS: ${copyable(rtmpUrl(host), 'the server URL without TLS')}</p>`}
<p class="hint">Other encoders can publish to the same server and key over RTMP, or over SRT and WHIP.</p></section>`
}

type Call = Pick<PageCall<unknown, unknown>, 'db' | 'host' | 'member' | 'services'>

/** Renders how a channel is put into a web page. */
export async function channelEmbed({ db, host, member, services }: Call, channel: Channel): Promise<Html> {
  const base = getPublicBase(host)
  const sites = allowedSites(await embedding.find(db, member.orgId), '/app/videos/embedding')
  const { id, name } = channel
  if (channel.visibility === 'signed')
    return around(html`<p class="lead">Each viewer needs a token. Your server creates a playback session, and your page gives its <code>hlsUrl</code> to the player.</p>
${embedCodes([['Player element', playerCode(base, { src: 'HLS_URL' }, name)]])}
<p class="hint">Replace <code>HLS_URL</code> with <code>hlsUrl</code> from the response. For an iframe, use <code>embedUrl</code> as its <code>src</code>.</p>
${apiCall(services, 'live.playback-sessions.mint', { path: { channelId: id }, body: { expiresInSeconds: 3600 } })}
${sites}`)
  const playlist = openPlaylistUrl(base, id)
  return around(html`${embedCodes([['Player element', playerCode(base, { src: playlist }, name)]])}
${sites}
<dl class="facts"><div><dt>HLS playlist</dt><dd>${copyable(playlist, 'the playlist URL')}</dd></div></dl>`)
}

const around = (content: Html): Html =>
  html`<section aria-labelledby="embed"><h2 id="embed">Embed</h2>${content}</section>`
