// Warns before an inactive session ends, and opens the sign-in page when the session has ended. Every tab polls the
// server, because other tabs can extend the session.

const warnMs = 120_000
const checkMs = 1_000
const againMs = 10_000

const { base, now = '', idleUntil = '', expiresAt = '' } = document.documentElement.dataset
const address = `${base}/prolong`
const expires = Date.parse(expiresAt)
// All times use the server’s clock, because the browser’s clock can be different.
const ahead = Date.now() - Date.parse(now)
const left = () => ends - (Date.now() - ahead)

let ends = Date.parse(idleUntil)
let seen = false
let busy = false
let askedAt = 0

const dialog = document.createElement('dialog')
dialog.setAttribute('role', 'alertdialog')
dialog.setAttribute('aria-labelledby', 'idle-title')
dialog.setAttribute('aria-describedby', 'idle-words')
dialog.className = 'question'
dialog.innerHTML = `<h1 id="idle-title"></h1><p id="idle-words"></p>
<p class="fault" role="alert" hidden>The server is unavailable. Try again.</p>
<div class="actions"><button type="button" autofocus></button></div>`
const [title, words, fault, button] = ['h1', '#idle-words', '.fault', 'button'].map((of) => dialog.querySelector(of))

async function learn(asked) {
  const answer = await fetch(address, { ...asked, redirect: 'manual', cache: 'no-store' })
  if (answer.type === 'opaqueredirect' || answer.status === 401) return false
  const until = answer.ok ? Date.parse(await answer.text()) : Number.NaN
  if (Number.isNaN(until)) throw new Error(`${address} returned ${answer.status}`)
  ends = until
  if (left() > warnMs) {
    seen = false
    dialog.close()
  }
  return true
}

function leave() {
  if (document.querySelector('.sending:not([hidden])')) return
  location.assign(`${base}/sign-in?${new URLSearchParams({ to: location.pathname + location.search })}`)
}

function warn() {
  seen = true
  const at = new Date(ends + ahead).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const whole = ends >= expires
  title.textContent = whole ? 'Your session ends soon' : 'Are you still there?'
  words.textContent = whole
    ? `Your session reaches its maximum length at ${at}. Save your work and sign in again.`
    : `You have been inactive for a while. You will be signed out at ${at}.`
  button.textContent = whole ? 'Close' : 'Stay signed in'
  fault.hidden = true
  dialog.showModal()
}

async function stay() {
  if (ends >= expires) return dialog.close()
  fault.hidden = true
  const body = new URLSearchParams({ token: document.querySelector('form[action$="/sign-out"] [name=token]').value })
  try {
    if (await learn({ method: 'POST', body })) dialog.close()
    else leave()
  } catch {
    fault.hidden = false
  }
}

async function check() {
  if (busy || left() > warnMs) return
  if (seen && left() > 0 && Date.now() - askedAt < againMs) return
  busy = true
  askedAt = Date.now()
  try {
    if (!(await learn())) leave()
    else if (!seen && left() <= warnMs) warn()
  } catch {
    // If the server is unavailable, show the warning and try again a second later.
    if (!seen) warn()
  } finally {
    busy = false
  }
}

export function idle() {
  if (!idleUntil) return
  document.body.append(dialog)
  button.addEventListener('click', stay)
  setInterval(check, checkMs)
}
