import { button, icon, icons } from '../playback/embed-page.ts'

export const renderLivePlayer = (): string => `<main id="player" class="paused loud" aria-label="Live player">
<link rel="stylesheet" href="/v1/stream/player/live.css">
<link rel="stylesheet" href="/v1/stream/live/watch-files/watch.css">
<video id="video" playsinline></video>
<button type="button" id="unmute" hidden>${icons.muted}<span>Unmute</span></button>
${button('start', 'Play', icon('M8 5v14l11-7z', 'fill'))}
<div id="wait" aria-hidden="true"></div>
<div id="bar" role="group" aria-label="Controls" hidden>
<input id="seek" type="range" min="0" max="0" step="any" value="0" aria-label="Position">
${button('play', 'Play', icons.play + icons.pause)}
${button('mute', 'Mute', icons.loud + icons.muted)}
<input id="volume" type="range" min="0" max="1" step="0.05" value="1" aria-label="Volume">
${button('edge', 'Go to live', '<span></span>', ' hidden')}
<span id="latency" title="From the end of what is there to the picture"></span>
<span id="time" aria-hidden="true"></span>
${button('full', 'Full screen', icons.full)}
</div>
<div id="notice">
<p id="trouble" role="alert" hidden></p>
<button type="button" id="again" hidden>Try again</button>
</div>
<section id="upcoming" aria-label="Next broadcast" hidden>
<img alt="" hidden>
<h1 class="title"></h1>
<p class="countdown" role="timer"></p>
<p><time class="time"></time></p>
<p class="description"></p>
<a download>Add to calendar</a>
</section>
</main>
<script src="/v1/stream/player/hls.min.js"></script>
<script type="module" src="/v1/stream/player/live.js"></script>
<script type="module" src="/v1/stream/live/watch-files/watch.js"></script>`
