// Checks during playback whether the viewer still has access. Otherwise, buffered video would play for up to a minute
// after the access has ended.
const everyMs = 10_000
const lookMs = 1000
const refusals = [401, 403, 404]

/**
 * Calls `refused` when the origin no longer serves `source` to this viewer. `asked` reports other requests that the
 * origin checks, so a player that loads segments needs no additional checks. `ask` checks immediately.
 */
export function watchRight({ video, source, signal }, refused) {
  let lastAsked = performance.now()
  let asking = false
  const asked = () => {
    lastAsked = performance.now()
  }
  async function ask() {
    if (asking) return
    asking = true
    asked()
    try {
      const answer = await fetch(source, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(everyMs) })
      if (refusals.includes(answer.status)) refused()
    } catch {
      // A lost connection does not end the access, and at most a minute is buffered.
    }
    asking = false
  }
  const look = () => {
    if (!video.paused && !video.ended && performance.now() - lastAsked >= everyMs) void ask()
  }
  const looking = setInterval(look, lookMs)
  signal.addEventListener('abort', () => clearInterval(looking))
  video.addEventListener('play', look)
  return { ask, asked }
}
