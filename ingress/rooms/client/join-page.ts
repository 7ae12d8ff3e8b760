import type { Context } from 'koa'
import { html } from '../../http/html/html.ts'
import { sendPublicPage } from '../../http/html/public-page.ts'
import { fileUrl } from './files.ts'
import { controlBar, deviceChoices, icon, lobbyToggles } from './join-controls.ts'

const lobby = html`<section id="lobby" aria-label="Before you join" hidden>
<div id="mirror">
<video playsinline muted autoplay aria-label="Your camera preview"></video>
<p id="mirror-says">Your camera is off.</p>
<div class="toggles">${lobbyToggles}</div>
</div>
<form id="enter">
<h1 id="enter-title">Join the room</h1>
<p id="as"></p>
<label id="who" hidden>Your name <input id="name" name="name" maxlength="100" required disabled autocomplete="name"></label>
<div id="choices">${deviceChoices}</div>
<button type="submit" id="join" class="strong">Join</button>
</form>
</section>`

const room = html`<section id="room" hidden>
<header>
<h1 id="title"></h1>
<span id="on-air" class="badge" hidden>Live</span> <span id="recorded" class="badge" hidden>Recording</span>
</header>
<div id="stage" role="group" aria-label="Everyone in the room"><div id="screens"></div><div id="faces"></div></div>
<aside id="people" aria-label="People" hidden>
<section id="waiting" aria-label="People waiting to be admitted" hidden><h2>Waiting</h2>
<ul></ul></section>
<h2>People</h2>
<ul id="present"></ul>
<div id="settings" hidden>
<label>Chat access <select name="chat"><option value="all">Everyone</option><option value="publishers">Hosts and participants</option><option value="off">No one</option></select></label>
<label>Broadcast layout <select name="layout"><option value="grid">Grid</option><option value="speaker">Large speaker</option><option value="screen">Large shared screen</option></select></label>
<label class="check"><input type="checkbox" name="waitingRoom"> Waiting room</label>
</div>
<button type="button" id="end" class="danger" hidden>End the room for everyone</button>
</aside>
<aside id="chat" aria-label="Chat" hidden>
<h2>Chat</h2>
<ol role="log" aria-label="Messages"></ol>
<form>
<label>To <select name="to"><option value="">Everyone</option></select></label>
<label>Message <textarea name="text" rows="2" maxlength="2000" required></textarea></label>
<button class="strong">Send</button>
</form>
<p id="chat-closed" hidden>You cannot send messages in this room.</p>
</aside>
${controlBar}
<dialog id="setup" aria-label="Devices and keys">
<form method="dialog">
<h2>Devices</h2>
<div id="setup-choices"></div>
<div id="keys"><h2>Keyboard shortcuts</h2>
<dl></dl></div>
<button class="strong">Done</button>
</form>
</dialog>
<dialog id="sure" aria-label="End the room">
<form method="dialog">
<h2>End the room for everyone?</h2>
<p>The invitations to this room stop working.</p>
<p class="row"><button value="no">Cancel</button><button value="yes" class="danger">End the room</button></p>
</form>
</dialog>
</section>`

const wait = html`<section id="wait" hidden>
<h1 id="wait-title"></h1>
<p>Wait until a host admits you.</p>
</section>`

const checking = html`<section id="checking"><p role="status">Checking your invitation…</p>
<noscript><p>Turn on JavaScript to join the room.</p></noscript></section>`

const over = html`<section id="over" hidden>
<h1 id="over-says"></h1>
<p id="over-more"></p>
<button type="button" id="again" class="strong" hidden>Join again</button>
</section>`

const notices = html`<div id="notices">
<p id="status" role="status" hidden></p>
<div id="caption" hidden><p id="trouble" role="alert" hidden></p><button type="button" id="dismiss" aria-label="Dismiss">${icon('close')}</button></div>
<button type="button" id="unblock" class="strong" hidden>Play audio</button>
</div>`

const templates = html`<template id="tile-template">
<div class="tile">
<video playsinline autoplay></video>
<span class="initials" aria-hidden="true"></span>
<p class="caption"><span class="silent" title="Muted">${icon('microphoneOff')}</span><span class="hand" title="Hand raised">${icon('hand')}</span><span class="name"></span></p>
</div>
</template>
<template id="waiting-template">
<li>
<p class="name"></p>
<p class="row"><button type="button" data-do="admit" class="strong">Admit</button><button type="button" data-do="refuse">Reject</button></p>
</li>
</template>
<template id="message-template"><li><p class="who"></p><p class="said"></p></li></template>
<template id="person-template">
<li>
<p><span class="name"></span> <span class="role"></span> <span class="raised">Hand raised</span></p>
<p class="row moderation">
<button type="button" data-do="lower">Lower the hand</button>
<button type="button" data-do="mute">Mute</button>
<label>Role <select data-do="role"><option value="host">Host</option><option value="participant">Participant</option><option value="viewer">Viewer</option></select></label>
<button type="button" data-do="kick" class="danger">Remove</button>
</p>
</li>
</template>`

/** Sends the join page. Any site can frame it, because anyone with the token can display it. */
export function sendJoinPage(ctx: Context): void {
  sendPublicPage(ctx, {
    title: 'Room',
    head: html`<link rel="stylesheet" href="${fileUrl('join.css')}">
<link rel="stylesheet" href="${fileUrl('room.css')}">
<link rel="stylesheet" href="${fileUrl('talk.css')}">
<script type="module" src="${fileUrl('join.js')}"></script>`,
    main: html`${checking}
${lobby}
${room}
${wait}
${over}
${notices}
${templates}`,
    policy: {
      'script-src': "'self'",
      'style-src': "'self'",
      // If its gateway fails, a room moves to another gateway. So the page cannot know the host in advance.
      'connect-src': "'self' ws: wss:",
      'media-src': "'self' blob:",
      'frame-ancestors': '*',
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    },
    unlisted: true,
  })
}
