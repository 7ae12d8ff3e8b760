import { z } from 'zod'
import * as channels from '#sql/live/channels.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { page } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { whipUrl } from '../ingest.ts'
import { section } from './channels.ts'

const params = z.object({ channel_id: pathId('live channel') })

export const studio = page({
  path: '/live/{channel_id}/studio',
  summary: 'Publish to a live channel from the browser',
  section,
  permission: 'areas:write',
  params,
  async view({ db, member, host, params: { channel_id: id } }) {
    const { name } = await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const path = `${section.path}/${id}`
    const main = html`${parentLink(name, path)}<h1>Go live from this page</h1>
<p class="unscripted">Turn on JavaScript to publish from this page. Encoders can publish over RTMP and SRT.</p>
<section class="beside studio" data-studio="${whipUrl(host)}">
<div><video class="player" muted playsinline autoplay aria-label="Preview of the video"></video>
<p class="told" role="status" hidden></p></div>
<form class="form">
<div class="field"><label for="stream-key">Stream key</label><input id="stream-key" name="key" type="password" autocomplete="off" required aria-describedby="stream-key-hint">
<p class="hint" id="stream-key-hint">Shown only when it was created. <a href="${path}/key">Replace the stream key</a></p></div>
<div class="field"><label for="source">Video source</label><select id="source" name="source"><option value="camera">Camera</option><option value="screen">Screen</option></select></div>
<div class="field"><label for="camera">Camera</label><select id="camera" name="camera"><option value="">Default</option></select></div>
<div class="field"><label for="microphone">Microphone</label><select id="microphone" name="microphone"><option value="">Default</option><option value="none">None</option></select></div>
<div class="field"><label for="level">Audio level</label><meter id="level" min="0" max="1" low="0.02" high="0.9" optimum="0.4" value="0">–</meter></div>
<p class="actions"><button type="button" class="plain" name="preview">Preview</button> <button type="submit" class="primary" name="start">Go live</button> <button type="button" class="grave" name="stop" hidden>Stop</button></p>
</form>
</section>`
    return { title: 'Go live', main, reaches: { sends: [getPublicBase(host)] } }
  },
})
