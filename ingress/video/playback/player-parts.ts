import { button, icon, icons } from '../../playback/embed-page.ts'

const menuButton = (id: string, label: string, content: string) =>
  `<div class="choice" hidden>
${button(id, label, content, ` aria-haspopup="menu" aria-expanded="false" aria-controls="${id}-menu"`)}
<div id="${id}-menu" role="menu" aria-label="${label}" hidden></div>
</div>`

const select = (id: string, label: string, options: Record<string, string>) =>
  `<label>${label} <select id="${id}">${Object.entries(options)
    .map(([value, name]) => `<option value="${value}">${name}</option>`)
    .join('')}</select></label>`

const captionsStyle = `<form id="style" role="dialog" aria-label="Caption style" hidden>
${select('style-size', 'Size', { small: 'Small', normal: 'Normal', large: 'Large', huge: 'Huge' })}
${select('style-color', 'Colour', { white: 'White', yellow: 'Yellow', cyan: 'Cyan', green: 'Green' })}
${select('style-background', 'Background', { shade: 'Shade', black: 'Black', none: 'None' })}
<div><button type="reset">Reset</button><button type="submit">Done</button></div>
</form>`

export const playerParts = `<section id="player" class="paused loud" aria-label="Video player" tabindex="-1" title="">
<video id="video" playsinline preload="metadata"></video>
<h2 id="heading" hidden></h2>
<button type="button" id="unmute" hidden>${icons.muted}<span>Unmute</span></button>
${button('start', 'Play', icon('M8 5v14l11-7z', 'fill'))}
<div id="wait" aria-hidden="true"></div>
<div id="bar" role="group" aria-label="Controls" hidden>
<div id="preview" aria-hidden="true" hidden><div></div><em></em><span></span></div>
<div id="line"><input id="seek" type="range" min="0" max="0" step="any" value="0" aria-label="Position"><div id="marks" aria-hidden="true"></div></div>
${button('play', 'Play', icons.play + icons.pause)}
${button('mute', 'Mute', icons.loud + icons.muted)}
<input id="volume" type="range" min="0" max="1" step="0.05" value="1" aria-label="Volume">
<span id="time" aria-hidden="true">0:00</span>
${menuButton('chapters', 'Chapters', '<span></span>')}
${button('edge', 'Go to live', '<span></span>', ' hidden')}
<span id="latency" title="From the end of what is there to the picture"></span>
${menuButton('sound', 'Sound', icons.sound)}
${menuButton('captions', 'Captions', icons.captions)}
${menuButton('speed', 'Speed', '<span>1×</span>')}
${menuButton('quality', 'Quality', '<span>Auto</span>')}
${button('transcript', 'Transcript', icons.transcript, ' aria-expanded="false" hidden')}
${button('cast', 'Cast', icons.cast, ' aria-pressed="false" hidden')}
${button('remote', 'Play on another device', icons.remote, ' hidden')}
${button('pip', 'Picture-in-picture', icons.pictureInPicture, ' hidden')}
${button('full', 'Full screen', icons.full)}
</div>
${captionsStyle}
<div id="notice">
<p id="trouble" role="alert" hidden></p>
<button type="button" id="again" hidden>Try again</button>
</div>
</section>`
